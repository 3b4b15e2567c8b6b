//! How long a provider asks to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Nobody waits longer than this for a provider; a larger wish is cut to it.
const LONGEST: Duration = Duration::from_hours(24);

/// The wait that the headers ask for: `retry-after-ms`, or `retry-after` in seconds or as a date.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|value| seconds(value, 1e-3));
    let wait = milliseconds.or_else(|| {
        let value = text(RETRY_AFTER.as_str())?;
        seconds(value, 1.0).or_else(|| until(value, now))
    });
    wait.map(|wait| wait.min(LONGEST))
}

fn seconds(value: &str, unit: f64) -> Option<Duration> {
    let number: f64 = value.parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok()
}

fn until(value: &str, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() -> Result<(), Box<dyn std::error::Error>> {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2026 07:28:00 GMT")?;
        let cases = [
            ("retry-after", "7", Some(7_000)),
            ("retry-after", " 0.5 ", Some(500)),
            ("retry-after-ms", "1500", Some(1_500)),
            ("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT", Some(30_000)),
            ("retry-after", "Wed, 21 Oct 2026 07:27:00 GMT", Some(0)),
            ("retry-after", "1e300", None),
            ("retry-after", "9e9", Some(86_400_000)),
            ("retry-after", "-1", None),
            ("retry-after", "soon", None),
            ("other", "7", None),
        ];
        for (name, value, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse()?);
            let wait = retry_after(&headers, now).map(|wait| wait.as_millis());
            assert_eq!(wait, expected, "{name}: {value}");
        }
        Ok(())
    }
}
