//! The value of a header as a layer writes it, with places for secrets.

const OPEN: &str = "${secret:";

/// A value with places for secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Secret(String),
}

impl Template {
    /// Reads a value. Any `${` that is no secret's stands for itself.
    pub(super) fn parse(value: &str) -> Result<Self, &'static str> {
        let mut parts = Vec::new();
        let mut rest = value;
        while let Some((before, inner)) = rest.split_once(OPEN) {
            let (name, after) = inner.split_once('}').ok_or("a `${secret:` in it has no closing `}`")?;
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Secret(name.to_owned()));
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    /// The names of its secrets.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The value with each secret as `secret` gives it.
    pub(super) fn fill<E>(&self, mut secret: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
        self.0
            .iter()
            .map(|part| match part {
                Part::Text(text) => Ok(text.clone()),
                Part::Secret(name) => secret(name),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(value: &str) -> Result<String, &'static str> {
        Template::parse(value)?.fill(|name| Ok(format!("<{name}>")))
    }

    #[test]
    fn each_place_is_filled_once() {
        assert_eq!(filled("plain ${x} $"), Ok("plain ${x} $".to_owned()));
        assert_eq!(filled("Bearer ${secret:a}"), Ok("Bearer <a>".to_owned()));
        assert_eq!(filled("${secret:a}${secret:b};${secret:}"), Ok("<a><b>;<>".to_owned()));
        assert_eq!(filled("${secret:${secret:a}}"), Ok("<${secret:a>}".to_owned()));
        assert!(filled("${secret:a").is_err());
    }
}
