//! Serves the example on 127.0.0.1, until Ctrl-C.

use std::sync::Arc;

use example_embed::{Tracker, routes, triage_agent};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().init();
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8095".to_owned());
    let agent = triage_agent(Arc::new(Tracker::default())).await?;
    let listener = TcpListener::bind(address).await?;
    tracing::info!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, routes(agent)).with_graceful_shutdown(interrupt()).await?;
    Ok(())
}

async fn interrupt() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        tracing::error!("Ctrl-C can't be waited for: {error}");
    }
}
