//! All tools of an agent, whoever brings them.

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::join_all;
use parking_lot::RwLock;
use serde_json::{Map, Value};

use crate::message::ToolDefinition;

use super::schema::ArgumentSchema;
use super::{Tool, ToolList, ToolOwner, ToolProvider};

/// The longest name that all providers take.
const NAME_BYTES: usize = 64;

/// The tools of an agent, each under a name of its own.
#[derive(Default)]
pub struct Toolbox {
    shelf: RwLock<Arc<Shelf>>,
    /// Held while providers are asked.
    stands: tokio::sync::Mutex<Vec<Stand>>,
}

/// All tools at one time, in the order of the catalogue.
#[derive(Clone, Default)]
struct Shelf {
    entries: HashMap<String, Arc<Entry>>,
    catalogue: Arc<Vec<ToolDefinition>>,
}

/// A place in the catalogue: of tools that stay, or of those that a provider has now.
#[derive(Clone, Default)]
struct Stand {
    entries: Vec<Arc<Entry>>,
    provider: Option<Provided>,
}

/// Where the tools of a stand come from.
#[derive(Clone)]
struct Provided {
    owner: ToolOwner,
    provider: Arc<dyn ToolProvider>,
    /// The list that was taken last.
    seen: ToolList,
}

struct Entry {
    tool: Arc<dyn Tool>,
    owner: ToolOwner,
    schema: ArgumentSchema,
}

/// Why a tool can't be in the catalogue.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolboxError {
    /// Two tools have the same name.
    #[error("tool `{name}` is brought twice: by {first} and by {second}; rename or leave out one of them")]
    Clash {
        /// The name.
        name: String,
        /// Who brought it first.
        first: ToolOwner,
        /// Who brought it again.
        second: ToolOwner,
    },
    /// A name that model providers refuse.
    #[error(
        "tool `{name}` of {owner} has a name that model providers refuse: it must have 1 to {NAME_BYTES} of the \
         characters `A-Z a-z 0-9 _ -`"
    )]
    Name {
        /// The name.
        name: String,
        /// Who brought it.
        owner: ToolOwner,
    },
    /// The parameters are no usable JSON Schema.
    #[error("tool `{name}` of {owner} has parameters that are no usable JSON Schema: {cause}")]
    Schema {
        /// The name.
        name: String,
        /// Who brought it.
        owner: ToolOwner,
        /// What is wrong, and where in the schema.
        cause: String,
    },
}

impl Entry {
    /// # Errors
    /// When the name or the parameters can't be used.
    fn new(owner: ToolOwner, tool: Arc<dyn Tool>) -> Result<Self, ToolboxError> {
        let definition = tool.definition();
        let name = &definition.name;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if name.is_empty() || name.len() > NAME_BYTES || !name.bytes().all(fits) {
            return Err(ToolboxError::Name { name: name.clone(), owner });
        }
        match ArgumentSchema::compile(&definition.parameters) {
            Ok(schema) => Ok(Self { tool, owner, schema }),
            Err(cause) => Err(ToolboxError::Schema { name: name.clone(), owner, cause }),
        }
    }

    fn name(&self) -> &str {
        &self.tool.definition().name
    }
}

impl Shelf {
    fn of<'a>(entries: impl IntoIterator<Item = &'a Arc<Entry>>) -> Self {
        let mut shelf = Self::default();
        entries.into_iter().for_each(|entry| shelf.put(Arc::clone(entry)));
        shelf
    }

    fn put(&mut self, entry: Arc<Entry>) {
        Arc::make_mut(&mut self.catalogue).push(entry.tool.definition().clone());
        self.entries.insert(entry.name().to_owned(), entry);
    }

    fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.entries.get(name)
    }

    /// # Errors
    /// When a tool here has the entry's name already.
    fn refuse_twice(&self, entry: &Entry) -> Result<(), ToolboxError> {
        match self.find(entry.name()) {
            None => Ok(()),
            Some(first) => Err(ToolboxError::Clash {
                name: entry.name().to_owned(),
                first: first.owner.clone(),
                second: entry.owner.clone(),
            }),
        }
    }
}

impl Stand {
    /// The list of its provider, and whose it is; nothing where it is the one that was taken last.
    async fn current(&self) -> Option<(ToolOwner, ToolList)> {
        let Provided { owner, provider, seen } = self.provider.as_ref()?;
        let current = provider.current().await;
        (!Arc::ptr_eq(seen, &current)).then(|| (owner.clone(), current))
    }
}

impl Toolbox {
    /// Adds a tool at the end of the catalogue.
    ///
    /// The schema of its arguments is compiled here, once. What it refers to outside itself is never fetched.
    ///
    /// # Errors
    /// When the name is taken or unusable, or the parameters are no usable schema; the toolbox is then as before.
    pub fn add(&mut self, owner: ToolOwner, tool: Arc<dyn Tool>) -> Result<(), ToolboxError> {
        let entry = Arc::new(Entry::new(owner, tool)?);
        self.shelf_mut().refuse_twice(&entry)?;
        self.shelf_mut().put(Arc::clone(&entry));
        let stands = self.stands.get_mut();
        match stands.last_mut().filter(|stand| stand.provider.is_none()) {
            Some(stand) => stand.entries.push(entry),
            None => stands.push(Stand { entries: vec![entry], provider: None }),
        }
        Ok(())
    }

    /// Adds the tools of a provider at the end of the catalogue, where they follow its changes from then on.
    ///
    /// # Errors
    /// As for [`Toolbox::add`].
    pub async fn follow(
        &mut self,
        owner: ToolOwner,
        provider: Arc<dyn ToolProvider>,
    ) -> Result<(), ToolboxError> {
        let seen = provider.current().await;
        let mut with_them = self.shelf_mut().clone();
        let mut entries = Vec::with_capacity(seen.len());
        for tool in seen.iter() {
            let entry = Arc::new(Entry::new(owner.clone(), Arc::clone(tool))?);
            with_them.refuse_twice(&entry)?;
            with_them.put(Arc::clone(&entry));
            entries.push(entry);
        }
        *self.shelf_mut() = with_them;
        let provider = Some(Provided { owner, provider, seen });
        self.stands.get_mut().push(Stand { entries, provider });
        Ok(())
    }

    /// Takes over what has changed at the providers. A tool that can't be added is left out, and the log says why.
    ///
    /// Does nothing while another one does it: asking may take its time, and is not to hold up everyone.
    pub async fn refresh(&self) {
        let Ok(mut stands) = self.stands.try_lock() else { return };
        if renew_all(&mut stands).await {
            *self.shelf.write() = Arc::new(Shelf::of(stands.iter().flat_map(|stand| &stand.entries)));
        }
    }

    /// A toolbox of the same tools that may get others besides. It follows the same providers, on its own.
    pub async fn fork(&self) -> Self {
        let mut stands = self.stands.lock().await.clone();
        renew_all(&mut stands).await;
        let shelf = Arc::new(Shelf::of(stands.iter().flat_map(|stand| &stand.entries)));
        Self { shelf: RwLock::new(shelf), stands: tokio::sync::Mutex::new(stands) }
    }

    /// The definitions of all tools, in the order in which they were added.
    pub fn catalogue(&self) -> Arc<Vec<ToolDefinition>> {
        Arc::clone(&self.shelf().catalogue)
    }

    /// The tool with this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.shelf().find(name).map(|entry| Arc::clone(&entry.tool))
    }

    /// Who brought the tool with this name.
    pub fn owner(&self, name: &str) -> Option<ToolOwner> {
        self.shelf().find(name).map(|entry| entry.owner.clone())
    }

    /// Reads the arguments that a model wrote for a tool. No text at all stands for no arguments.
    ///
    /// # Errors
    /// A text for the model: that there is no such tool, that the arguments are no JSON object, or where they differ from
    /// the tool's parameters and how.
    pub fn validate(&self, name: &str, arguments: &str) -> Result<Map<String, Value>, String> {
        let shelf = self.shelf();
        let entry = shelf.find(name).ok_or_else(|| format!("there is no tool `{name}`"))?;
        entry.schema.validate(name, arguments)
    }

    fn shelf(&self) -> Arc<Shelf> {
        Arc::clone(&self.shelf.read())
    }

    fn shelf_mut(&mut self) -> &mut Shelf {
        Arc::make_mut(self.shelf.get_mut())
    }
}

/// Takes over the lists of the providers that have others than those taken last, and says whether any has.
///
/// All are asked at once: the slowest is waited for, and not one after another.
async fn renew_all(stands: &mut [Stand]) -> bool {
    let lists = join_all(stands.iter().map(Stand::current)).await;
    let mut changed = false;
    for (at, list) in lists.into_iter().enumerate() {
        if let Some((owner, list)) = list {
            renew(stands, at, &owner, list);
            changed = true;
        }
    }
    changed
}

/// Takes over a list of one stand's provider.
fn renew(stands: &mut [Stand], at: usize, owner: &ToolOwner, current: ToolList) {
    let others = stands.iter().enumerate().filter(|(place, _)| *place != at);
    let mut with_them = Shelf::of(others.flat_map(|(_, stand)| &stand.entries));
    let mut entries = Vec::with_capacity(current.len());
    for tool in current.iter() {
        let entry = Entry::new(owner.clone(), Arc::clone(tool));
        match entry.and_then(|entry| with_them.refuse_twice(&entry).map(|()| Arc::new(entry))) {
            Ok(entry) => {
                with_them.put(Arc::clone(&entry));
                entries.push(entry);
            }
            Err(error) => tracing::warn!("{error}; it is left out"),
        }
    }
    if let Some(stand) = stands.get_mut(at) {
        stand.entries = entries;
        if let Some(provided) = &mut stand.provider {
            provided.seen = current;
        }
    }
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shelf = self.shelf();
        f.debug_map().entries(shelf.entries.iter().map(|(name, entry)| (name, &entry.owner))).finish()
    }
}
