//! Counts of tokens as providers write them.

use serde_json::Value;

/// A count: a number that is whole, not negative and not absurd. Anything else is unknown.
pub(super) fn count(value: Option<&Value>) -> Option<u32> {
    let value = value?;
    if let Some(whole) = value.as_u64() {
        return u32::try_from(whole).ok();
    }
    let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
    format!("{float:.0}").parse().ok()
}

/// Takes the new count where there is one: the last report of a field wins.
pub(super) fn keep(known: &mut Option<u32>, value: Option<&Value>) {
    if let Some(count) = count(value) {
        *known = Some(count);
    }
}

/// Takes a count that has no field of its own, under the provider's name for it.
pub(super) fn keep_detail(details: &mut Vec<(String, u32)>, name: &str, value: &Value) {
    let Some(count) = count(Some(value)) else { return };
    match details.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => *known = count,
        None => details.push((name.to_owned(), count)),
    }
}
