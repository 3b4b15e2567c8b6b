//! The list: as the model writes it, and as it is shown.

use std::fmt;

use cepa_sdk::Error;
use serde::{Deserialize, Serialize};

/// How far a todo has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// What.
    pub content: String,
    /// How far it has come.
    pub status: Status,
}

/// Everything that is to be done, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Todos(pub Vec<Todo>);

impl Todos {
    /// The list with each entry on one line.
    ///
    /// # Errors
    /// When it is longer than `max`, or an entry has no text.
    pub(crate) fn checked(self, max: u32) -> Result<Self, Error> {
        let count = self.0.len();
        if u32::try_from(count).is_ok_and(|count| count <= max) {
            return self.0.into_iter().enumerate().map(|(at, todo)| on_one_line(at, todo)).collect();
        }
        Err(Error::rejected("too-long", format!("the list has {count} todos, and {max} are allowed")))
    }
}

fn on_one_line(at: usize, todo: Todo) -> Result<Todo, Error> {
    let content = todo.content.split_whitespace().collect::<Vec<_>>().join(" ");
    if content.is_empty() {
        return Err(Error::rejected("empty", format!("todo {} has no text", at + 1)));
    }
    Ok(Todo { content, ..todo })
}

impl FromIterator<Todo> for Todos {
    fn from_iter<I: IntoIterator<Item = Todo>>(todos: I) -> Self {
        Self(todos.into_iter().collect())
    }
}

impl fmt::Display for Todos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.0.iter().filter(|todo| todo.status == Status::Completed).count();
        write!(f, "{done} of {} done", self.0.len())?;
        for todo in &self.0 {
            let mark = match todo.status {
                Status::Pending => ' ',
                Status::InProgress => '>',
                Status::Completed => 'x',
            };
            write!(f, "\n[{mark}] {}", todo.content)?;
        }
        Ok(())
    }
}
