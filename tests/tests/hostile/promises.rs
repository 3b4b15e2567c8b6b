//! The table of hostile components in `SECURITY.md`: complete, and true.

use std::collections::BTreeSet;
use std::path::Path;

use cepa::policy::{CAPABILITIES, Limits, STACK_LIMIT};
use cepa_tests::GUESTS;

const SECURITY: &str = include_str!("../../../SECURITY.md");

/// Components that the tests make themselves.
const CRAFTED: &[&str] = &["crafted"];

/// One line of the table.
struct Promise {
    /// The limits and capabilities it is about.
    about: Vec<&'static str>,
    components: Vec<&'static str>,
    file: &'static str,
    test: &'static str,
}

/// What stands in backticks in a cell.
fn names(cell: &'static str) -> Vec<&'static str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn table() -> Vec<Promise> {
    let (_, table) = SECURITY.split_once("### Hostile components").expect("the table is there");
    let lines = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    lines
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            let [_, about, components, test] = cells[..] else { panic!("four cells are wanted: {line}") };
            let [file, test] = names(test)[..] else { panic!("a file and a test are wanted: {line}") };
            Promise { about: names(about), components: names(components), file, test }
        })
        .collect()
}

#[test]
fn every_limit_and_every_capability_has_a_hostile_component() {
    let covered: BTreeSet<&str> = table().into_iter().flat_map(|promise| promise.about).collect();
    let limits = Limits::default().each();
    let wanted: BTreeSet<&str> =
        limits.iter().map(|(name, _)| *name).chain([STACK_LIMIT]).chain(CAPABILITIES).collect();
    let bare: Vec<&&str> = wanted.difference(&covered).collect();
    assert!(bare.is_empty(), "no line in SECURITY.md has a hostile component for {bare:?}");
    let unknown: Vec<&&str> = covered.difference(&wanted).collect();
    assert!(unknown.is_empty(), "SECURITY.md names what is neither limit nor capability: {unknown:?}");
}

#[test]
fn every_line_names_components_and_a_test_that_are_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for promise in table() {
        assert!(!promise.components.is_empty(), "`{}` names no component", promise.test);
        for component in &promise.components {
            let known = GUESTS.iter().any(|(name, _)| name == component) || CRAFTED.contains(component);
            assert!(known, "`{component}` is no folder of tests/guests");
        }
        let source = std::fs::read_to_string(folder.join(promise.file)).expect(promise.file);
        let is_row = promise.file == "hostile/main.rs" && super::ROWS.contains(&promise.test);
        let found = is_row || source.contains(&format!("async fn {}(", promise.test));
        assert!(found, "`{}` has no test `{}`", promise.file, promise.test);
    }
}

#[test]
fn every_row_stands_in_the_table() {
    let listed: BTreeSet<&str> = table().into_iter().map(|promise| promise.test).collect();
    let missing: Vec<&&str> = super::ROWS.iter().filter(|row| !listed.contains(**row)).collect();
    assert!(missing.is_empty(), "SECURITY.md has no line for {missing:?}");
}
