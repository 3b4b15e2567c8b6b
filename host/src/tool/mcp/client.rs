//! What the host is to a server: a client that wants to know when the list of tools changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion, SubscriptionFilter};
use rmcp::service::{NotificationContext, Peer, RoleClient};

/// How often the tools of a server may have changed. Clones share the count.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes(Arc<AtomicU64>);

impl Changes {
    /// They may have changed again.
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// The client's side of one connection.
pub(super) struct Client {
    identity: ClientConfig,
    changes: Changes,
}

impl Client {
    pub(super) fn new(changes: Changes) -> Self {
        let name = Implementation::new("cepa", env!("CARGO_PKG_VERSION"));
        let identity = ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::V_2025_11_25);
        Self { identity, changes }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        self.identity.clone()
    }

    // Servers of the older lifecycle tell everyone; those of the newer one only who has asked.
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.add();
    }
}

/// Whether the server is of the newer lifecycle, and says that it tells of changes to those who ask.
pub(super) fn must_ask(peer: &Peer<RoleClient>) -> bool {
    peer.peer_info().is_some_and(|info| {
        let tells = info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
        tells == Some(true) && info.protocol_version >= ProtocolVersion::V_2026_07_28
    })
}

/// Asks a server of the newer lifecycle to tell of changes, and counts them until the connection ends.
pub(super) async fn listen(peer: Peer<RoleClient>, changes: Changes) {
    let wanted = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = match peer.listen(wanted).await {
        Ok(subscription) => subscription,
        Err(error) => {
            tracing::debug!(%error, "an MCP server does not tell when its tools change");
            return;
        }
    };
    // Nobody has told of what happened up to now.
    changes.add();
    loop {
        match subscription.next().await {
            Ok(Some(_)) => changes.add(),
            Ok(None) => break,
            Err(error) => {
                tracing::debug!(%error, "an MCP server's news of its tools broke off");
                break;
            }
        }
    }
    // What it would have told from now on is unknown, so that the list is read once more.
    changes.add();
}
