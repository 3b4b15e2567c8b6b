//! TOML values as JSON.

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::DeValue;

use super::problem::Problem;
use super::reader::Reader;

/// What a value is, with its article.
pub(super) fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The same with `2.0` written as `2`. To a schema both are whole numbers, but many who read one take the second alone.
pub(super) fn whole_numbers(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) => {
            if let Some(whole) = number.as_f64().filter(|_| number.is_f64()).and_then(whole) {
                *number = whole.into();
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| *item = whole_numbers(item.take()));
        }
        Value::Object(map) => map.values_mut().for_each(|item| *item = whole_numbers(item.take())),
        _ => {}
    }
    value
}

fn whole(number: f64) -> Option<i64> {
    // Up to here each whole number has a form of its own.
    let exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    exact.then(|| format!("{number:.0}").parse().ok()).flatten()
}

/// The value as JSON, its references replaced. Marks each place by its pointer; `None` after a reported problem.
pub(super) fn json(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>, pointer: &str) -> Option<Value> {
    reader.marks.insert(pointer.to_owned(), value.span());
    match value.get_ref() {
        DeValue::String(text) => reader.expand(text, &value.span()).map(Value::String),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix()).ok();
            if whole.is_none() {
                reader.report(Problem::at(value.span(), "the number does not fit in 64 bits"));
            }
            whole.map(Value::from)
        }
        DeValue::Float(number) => {
            let finite = number.as_str().parse().ok().and_then(Number::from_f64);
            if finite.is_none() {
                reader.report(Problem::at(
                    value.span(),
                    "JSON has no such number, and neither has a configuration",
                ));
            }
            finite.map(Value::Number)
        }
        DeValue::Boolean(flag) => Some(Value::Bool(*flag)),
        DeValue::Datetime(date) => Some(Value::String(date.to_string())),
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| json(reader, item, &format!("{pointer}/{index}")))
            .collect::<Option<Vec<Value>>>()
            .map(Value::Array),
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| {
                let escaped = key.get_ref().replace('~', "~0").replace('/', "~1");
                Some((key.get_ref().to_string(), json(reader, value, &format!("{pointer}/{escaped}"))?))
            })
            .collect::<Option<Map<String, Value>>>()
            .map(Value::Object),
    }
}
