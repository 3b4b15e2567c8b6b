//! Whatever begins, ends and is swapped in whatever order: each reply has the layers of one generation, from its begin to
//! its end, and what no reply has any more is freed.

use std::collections::BTreeMap;
use std::sync::Weak;

use cepa::agent::{Agent, ReplyStream};
use proptest::prelude::*;

use super::version::{Gates, Log, Version, gates};
use super::{agent, alive, until};
use crate::rig::told;

const SESSIONS: [&str; 4] = ["a", "b", "c", "d"];
const VERSIONS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

#[derive(Clone, Copy, Debug)]
enum Op {
    Begin(usize),
    Swap,
    End(usize),
    Abort(usize),
    /// Lets other tasks run a little.
    Yield(u8),
}

fn an_op() -> impl Strategy<Value = Op> {
    let session = 0..SESSIONS.len();
    prop_oneof![
        4 => session.clone().prop_map(Op::Begin),
        3 => Just(Op::Swap),
        2 => session.clone().prop_map(Op::End),
        1 => session.prop_map(Op::Abort),
        2 => (1..20u8).prop_map(Op::Yield),
    ]
}

/// A reply that waits at the gate.
struct Running {
    stream: ReplyStream,
    generation: u64,
    version: &'static str,
}

struct Bench {
    agent: Agent,
    log: Log,
    gates: Gates,
    swaps: usize,
    versions: Vec<Weak<()>>,
    running: BTreeMap<usize, Running>,
}

impl Bench {
    async fn new() -> Self {
        let (log, gates) = (Log::default(), gates(SESSIONS));
        let first = Version::new("x", VERSIONS[0], &log).gated(&gates);
        let versions = vec![first.alive()];
        // Without trials, nothing is kept to come back.
        let agent = agent().trial_calls(0).middleware(first.entry()).build().await.unwrap();
        Self { agent, log, gates, swaps: 0, versions, running: BTreeMap::new() }
    }

    fn version(&self) -> &'static str {
        VERSIONS[self.swaps % VERSIONS.len()]
    }

    async fn run(&mut self, op: Op) {
        match op {
            Op::Begin(session) if !self.running.contains_key(&session) => {
                let stream = self.agent.reply(SESSIONS[session], "Go").await.unwrap();
                let generation = self.agent.generation();
                assert_eq!(stream.generation(), generation);
                self.running.insert(session, Running { stream, generation, version: self.version() });
            }
            Op::Swap => {
                self.swaps += 1;
                let fresh = Version::new("x", self.version(), &self.log).gated(&self.gates);
                self.versions.push(fresh.alive());
                self.agent.swap(vec![fresh.entry()]).await.unwrap();
            }
            Op::End(session) => self.end(session, false).await,
            Op::Abort(session) => self.end(session, true).await,
            Op::Yield(times) => {
                for _ in 0..times {
                    tokio::task::yield_now().await;
                }
            }
            Op::Begin(_) => {}
        }
        self.check();
    }

    /// Ends a reply that waits at its gate.
    async fn end(&mut self, session: usize, abort: bool) {
        let Some(running) = self.running.remove(&session) else { return };
        if abort {
            running.stream.abort();
        } else {
            self.gates[SESSIONS[session]].add_permits(1);
        }
        let told = told(running.stream).await;
        let seen = self.log.of(&told.result.reply_id);
        assert!(
            seen.iter().all(|(_, version)| *version == running.version),
            "{seen:?} and {}",
            running.version
        );
        assert!(abort || seen.len() == 3, "{seen:?}");
        if abort {
            // What was cancelled lets go of the layers a little later.
            until("the aborted reply is gone", || self.held() == self.wanted()).await;
        }
    }

    /// The generations that running replies have, with their number, as the agent says.
    fn held(&self) -> BTreeMap<u64, usize> {
        alive(&self.agent).into_iter().filter(|(_, replies)| *replies > 0).collect()
    }

    /// The same as it must be.
    fn wanted(&self) -> BTreeMap<u64, usize> {
        let mut wanted = BTreeMap::new();
        for running in self.running.values() {
            *wanted.entry(running.generation).or_default() += 1;
        }
        wanted
    }

    /// What is alive is what is active and what running replies have.
    fn check(&self) {
        assert_eq!(self.held(), self.wanted());
        for running in self.running.values() {
            let version = usize::try_from(running.generation - 1).unwrap();
            assert!(self.versions[version].strong_count() > 0, "a running reply's layers are alive");
        }
    }

    async fn finish(mut self) {
        for session in 0..SESSIONS.len() {
            self.end(session, false).await;
        }
        let (active, old) = self.versions.split_last().unwrap();
        until("all old layers are freed", || old.iter().all(|version| version.strong_count() == 0)).await;
        assert!(active.strong_count() > 0);
        assert_eq!(alive(&self.agent), [(self.agent.generation(), 0)]);
        assert_eq!(self.agent.generation(), self.swaps as u64 + 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_reply_has_the_layers_of_one_generation(ops in prop::collection::vec(an_op(), 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut bench = Bench::new().await;
            for op in ops {
                bench.run(op).await;
            }
            bench.finish().await;
        });
    }
}
