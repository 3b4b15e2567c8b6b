//! Sizes and durations as people write them: `64MiB`, `1.5s`.

use std::time::Duration;

/// The units of a size, largest first.
const SIZE_UNITS: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("B", 1),
];

/// The units of a duration, in microseconds. `ms` and `us` stand before the units that they end like.
const DURATION_UNITS: [(&str, u64); 5] =
    [("us", 1), ("ms", 1_000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000)];

/// The bytes that a size stands for.
///
/// # Errors
/// A sentence that says what a size looks like.
pub fn size(text: &str) -> Result<u64, String> {
    let unit_missing = "a size needs a unit: B, KB, MB, GB, KiB, MiB or GiB, as in `64MiB`";
    let (number, unit) = split(text, &SIZE_UNITS).ok_or(unit_missing)?;
    scale(number, unit).ok_or_else(|| format!("`{text}` is not a size; write it as `64MiB`"))
}

/// The time that a duration stands for.
///
/// # Errors
/// A sentence that says what a duration looks like.
pub fn duration(text: &str) -> Result<Duration, String> {
    let unit_missing = "a duration needs a unit: us, ms, s, m or h, as in `500ms`";
    let (number, unit) = split(text, &DURATION_UNITS).ok_or(unit_missing)?;
    scale(number, unit)
        .map(Duration::from_micros)
        .ok_or_else(|| format!("`{text}` is not a duration; write it as `500ms` or `1.5s`"))
}

fn split<'t>(text: &'t str, units: &[(&str, u64)]) -> Option<(&'t str, u64)> {
    units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?.trim_end(), *factor)))
}

/// A decimal number times a unit, exact, or `None` when it is no number, too large or not a whole count.
fn scale(number: &str, unit: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let places = 10_u128.pow(u32::try_from(part.len()).ok()?);
    let scaled = whole
        .parse::<u128>()
        .ok()?
        .checked_mul(places)?
        .checked_add(part.parse::<u128>().ok()?)?
        .checked_mul(u128::from(unit))?;
    if scaled % places != 0 {
        return None;
    }
    u64::try_from(scaled / places).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_values() {
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("1.5 KiB"), Ok(1536));
        assert_eq!(size("10B"), Ok(10));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_mins(2)));
    }

    #[test]
    fn unusable_values_are_errors() {
        for text in
            ["", "64", "MiB", "-1MiB", "1e3MiB", "64 mib", "1.2.3MiB", "0.5B", "99999999999GiB", "+1B"]
        {
            assert!(size(text).is_err(), "{text}");
        }
        for text in ["", "1", "s", "-1s", "1 hour", "0.5us", "NaNs", "1.s", ".5s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_whole_number_of_units_is_exact(number in 0_u32.., unit in 0..SIZE_UNITS.len()) {
            let (name, factor) = SIZE_UNITS[unit];
            prop_assert_eq!(size(&format!("{number}{name}")), Ok(u64::from(number) * factor));
        }

        #[test]
        fn milliseconds_are_thousandths_of_seconds(number in 0_u32..) {
            let seconds = format!("{}.{:03}s", number / 1000, number % 1000);
            prop_assert_eq!(duration(&seconds), duration(&format!("{number}ms")));
        }

        #[test]
        fn any_text_is_a_value_or_an_error(text in ".*") {
            let _ = size(&text);
            let _ = duration(&text);
        }
    }
}
