//! A moment as a person writes it.

const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// `2026-01-01 09:30 +01:00, Thursday`.
pub fn written(now_ms: u64, offset_minutes: i32) -> String {
    let minutes = i64::try_from(now_ms / 60_000).unwrap_or(i64::MAX / 2) + i64::from(offset_minutes);
    let (days, minute) = (minutes.div_euclid(1440), minutes.rem_euclid(1440));
    let (year, month, day) = civil(days);
    let weekday = usize::try_from(days.rem_euclid(7)).ok().and_then(|day| WEEKDAYS.get(day)).unwrap_or(&"");
    let sign = if offset_minutes < 0 { '-' } else { '+' };
    let offset = offset_minutes.unsigned_abs();
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02} {sign}{:02}:{:02}, {weekday}",
        minute / 60,
        minute % 60,
        offset / 60,
        offset % 60
    )
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// Years are counted from March, so that the leap day is a year's last, and in eras of 400 years, which repeat.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}
