//! The index of documents: what is found, in which order, in which languages, and within which bounds.

use cepa::error::{Error, ErrorKind};
use cepa::index::{Collection, Document, Filter, HITS_MAX, Index, IndexError, OpenError};
use cepa::services::{Scope, StatePlace};
use proptest::prelude::*;
use serde_json::{Value, json};

const ROOM: u64 = 1 << 20;

fn of(layer: &str, session: &str, name: &str) -> Collection {
    let scope = if session.is_empty() { Scope::Layer } else { Scope::Session };
    Collection { place: StatePlace::new(layer, scope, session, "reply"), name: name.to_owned() }
}

fn notes() -> Collection {
    of("layer", "", "notes")
}

fn document(id: &str, text: &str, metadata: Value) -> Document {
    let Value::Object(metadata) = metadata else { panic!("an object is wanted") };
    Document { id: id.to_owned(), text: text.to_owned(), metadata }
}

fn filled(texts: &[(&str, &str)]) -> Index {
    let index = Index::memory();
    let documents: Vec<Document> = texts.iter().map(|(id, text)| document(id, text, json!({}))).collect();
    index.put(&notes(), &documents, ROOM).unwrap();
    index
}

fn filter(value: Value) -> Filter {
    let Value::Object(value) = value else { panic!("an object is wanted") };
    Filter::parse(value).unwrap()
}

/// The ids of what is found, the best first.
fn found(index: &Index, query: &str) -> Vec<String> {
    let hits = index.search(&notes(), query, &Filter::default(), 10, ROOM).unwrap();
    hits.into_iter().map(|hit| hit.document.id).collect()
}

#[test]
fn the_best_document_comes_first() {
    let index = filled(&[
        ("once", "The onion has layers, and other vegetables have none."),
        ("often", "Onion, onion, onion."),
        ("never", "Leeks and garlic."),
        ("both", "An onion makes a soup, and the soup is an onion soup."),
    ]);
    assert_eq!(found(&index, "onion"), ["often", "both", "once"]);
    assert_eq!(found(&index, "soup onion")[0], "both");
    assert_eq!(found(&index, "potato"), [""; 0]);
    let hits = index.search(&notes(), "garlic", &Filter::default(), 10, ROOM).unwrap();
    assert_eq!(hits[0].document, document("never", "Leeks and garlic.", json!({})));
    assert!(hits[0].score > 0.0);
}

#[test]
fn case_and_accents_make_no_difference() {
    let index = filled(&[("a", "Café NAÏVE e\u{301}tude"), ("b", "STRASSE und Ärger")]);
    for query in ["cafe", "CAFÉ", "naive", "étude", "etude", "E\u{301}TUDE"] {
        assert_eq!(found(&index, query), ["a"], "{query}");
    }
    assert_eq!(found(&index, "arger strasse"), ["b"]);
}

#[test]
fn scripts_without_spaces_are_found_by_any_part() {
    let index = filled(&[
        ("ja", "東京都の天気は晴れです"),
        ("zh", "我住在北京，喜欢编程。"),
        ("ko", "서울에서 학교까지 걸어갔다"),
        ("th", "กรุงเทพเป็นเมืองหลวง"),
        ("hi", "हिन्दी भाषा सुंदर है"),
        ("en", "Kyoto is no capital"),
    ]);
    for (query, id) in [
        ("天気", "ja"),
        ("東京", "ja"),
        ("晴", "ja"),
        ("北京", "zh"),
        ("编程", "zh"),
        ("학교", "ko"),
        ("เมือง", "th"),
        ("भाषा", "hi"),
        ("capital 東", "en"),
    ] {
        assert!(found(&index, query).contains(&id.to_owned()), "{query}: {:?}", found(&index, query));
    }
    assert_eq!(found(&index, "भाष"), [""; 0], "marks are part of a word");
    assert_eq!(found(&index, "大阪"), [""; 0]);
    assert_eq!(found(&index, "東京 天気")[0], "ja");
}

#[test]
fn a_query_has_no_syntax() {
    let index =
        filled(&[("a", "plain words here"), ("b", "NOT OR AND NEAR"), ("c", "c++ \"quoted\" a:b x*")]);
    assert_eq!(found(&index, "plain NOT words"), ["a", "b"].map(str::to_owned));
    for query in [
        "\"",
        "\"\"",
        "'",
        "*",
        "words*",
        "wor*",
        "words : x",
        "^plain",
        "NEAR(plain words)",
        "{words} : plain",
        "(",
        ")",
        "plain AND",
        "-plain",
        "+",
        "a\"b",
        "\\",
        "; DROP TABLE document",
        "collection : c1",
        "c1",
    ] {
        let _ = found(&index, query);
    }
    assert_eq!(found(&index, "wor*"), [""; 0], "a star is no wildcard");
    assert_eq!(found(&index, "c1"), [""; 0], "the mark of a collection is no word");
    assert_eq!(found(&index, ""), [""; 0]);
    assert_eq!(found(&index, "ⓐ"), [""; 0], "what is a letter to one and not to the other");
    assert_eq!(found(&index, "quoted"), ["c"]);
}

#[test]
fn a_document_with_the_same_id_takes_the_place_of_the_earlier() {
    let index = filled(&[("a", "old words"), ("b", "other")]);
    index.put(&notes(), &[document("a", "new text", json!({ "n": 1 }))], ROOM).unwrap();
    assert_eq!((found(&index, "old"), found(&index, "new")), (vec![], vec!["a".to_owned()]));
    assert_eq!(index.count(&notes()).unwrap(), 2);
    assert_eq!(index.get(&notes(), "a").unwrap(), Some(document("a", "new text", json!({ "n": 1 }))));
    assert_eq!(index.get(&notes(), "c").unwrap(), None);
}

#[test]
fn what_is_removed_is_found_no_more() {
    let index = filled(&[("a", "word"), ("b", "word"), ("c", "word")]);
    let ids = ["a", "x", "a"].map(str::to_owned);
    assert_eq!(index.remove(&notes(), &ids).unwrap(), 1);
    assert_eq!(found(&index, "word"), ["b", "c"]);
    assert_eq!(index.clear(&notes()).unwrap(), 2);
    assert_eq!((found(&index, "word"), index.count(&notes()).unwrap()), (vec![], 0));
    assert_eq!(index.clear(&notes()).unwrap(), 0);
}

#[test]
fn filters_are_values_lists_and_bounds() {
    let index = Index::memory();
    let documents = [
        document("a", "word", json!({ "lang": "en", "year": 1994, "tags": ["x", "y"], "draft": false })),
        document("b", "word", json!({ "lang": "fr", "year": 2001.5, "tags": ["y"], "draft": true })),
        document("c", "word", json!({ "lang": "en", "year": "1994", "date": "2024-05-01" })),
    ];
    index.put(&notes(), &documents, ROOM).unwrap();
    for (wanted, ids) in [
        (json!({}), "a b c"),
        (json!({ "lang": "en" }), "a c"),
        (json!({ "lang": ["en", "fr"] }), "a b c"),
        (json!({ "lang": [] }), ""),
        (json!({ "lang": "en", "draft": false }), "a"),
        (json!({ "year": 1994 }), "a"),
        (json!({ "year": 1994.0 }), "a"),
        (json!({ "year": "1994" }), "c"),
        (json!({ "year": { "from": 1994 } }), "a b"),
        (json!({ "year": { "to": 2001 } }), "a"),
        (json!({ "year": { "from": 1995, "to": 2010 } }), "b"),
        (json!({ "date": { "from": "2024-01-01", "to": "2024-12-31" } }), "c"),
        (json!({ "tags": "y" }), "a b"),
        (json!({ "tags": ["x", "z"] }), "a"),
        (json!({ "none": "x" }), ""),
        (json!({ "lang'; --": "en" }), ""),
    ] {
        let hits = index.search(&notes(), "word", &filter(wanted.clone()), 10, ROOM).unwrap();
        let found: Vec<&str> = hits.iter().map(|hit| hit.document.id.as_str()).collect();
        assert_eq!(found.join(" "), ids, "{wanted}");
    }
}

#[test]
fn a_filter_that_can_not_be_understood_is_refused() {
    for wanted in [
        json!({ "a": null }),
        json!({ "a": {} }),
        json!({ "a": { "from": null } }),
        json!({ "a": { "from": 1, "too": 2 } }),
        json!({ "a": [[1]] }),
        json!({ "a": { "from": [1] } }),
    ] {
        let Value::Object(object) = wanted.clone() else { unreachable!() };
        let error = Filter::parse(object).unwrap_err().to_string();
        assert!(error.starts_with("filter `a` can't be understood: "), "{wanted}: {error}");
    }
}

#[test]
fn filtered_documents_do_not_use_up_the_limit() {
    let index = Index::memory();
    let documents: Vec<Document> =
        (0..200).map(|n| document(&format!("{n:03}"), "word", json!({ "last": n == 199 }))).collect();
    index.put(&notes(), &documents, ROOM).unwrap();
    let hits = index.search(&notes(), "word", &filter(json!({ "last": true })), 1, ROOM).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.document.id.as_str()).collect::<Vec<_>>(), ["199"]);
    let hits = index.search(&notes(), "word", &Filter::default(), u32::MAX, ROOM).unwrap();
    assert_eq!(hits.len(), HITS_MAX as usize);
}

#[test]
fn collections_scopes_sessions_and_layers_are_kept_apart() {
    let index = Index::memory();
    let places = [
        of("layer", "", "notes"),
        of("layer", "", "other"),
        of("layer", "one", "notes"),
        of("layer", "two", "notes"),
        of("second", "", "notes"),
        of("", "", ""),
    ];
    for (n, place) in places.iter().enumerate() {
        index.put(place, &[document("same", &format!("word w{n}"), json!({}))], ROOM).unwrap();
    }
    for (n, place) in places.iter().enumerate() {
        let hits = index.search(place, "word", &Filter::default(), 10, ROOM).unwrap();
        let texts: Vec<&str> = hits.iter().map(|hit| hit.document.text.as_str()).collect();
        assert_eq!(texts, [format!("word w{n}")]);
        assert_eq!(index.count(place).unwrap(), 1);
    }
    index.clear(&places[0]).unwrap();
    assert_eq!(places.iter().map(|place| index.count(place).unwrap()).sum::<u32>(), 5);
}

/// How rare a word is elsewhere must not show.
#[test]
fn scores_tell_nothing_of_other_layers() {
    let score = |with_others: bool| {
        let index = filled(&[("a", "rare common"), ("b", "common"), ("c", "common word")]);
        if with_others {
            let documents: Vec<Document> =
                (0..50).map(|n| document(&n.to_string(), "rare rare rare", json!({}))).collect();
            index.put(&of("second", "", "notes"), &documents, ROOM).unwrap();
        }
        index.search(&notes(), "rare", &Filter::default(), 1, ROOM).unwrap()[0].score
    };
    assert_eq!(score(false).to_bits(), score(true).to_bits());
}

fn limit<T: std::fmt::Debug>(result: Result<T, IndexError>) -> (&'static str, u64, u64) {
    match result.unwrap_err() {
        IndexError::Limit { limit, allowed, used } => (limit, allowed, used),
        other => panic!("{other}"),
    }
}

/// Each of these counts 64 bytes, 1 for its id, 100 for its text and 2 for its metadata.
#[test]
fn a_layer_has_one_quota_for_all_its_collections() {
    let index = Index::memory();
    let text = "x".repeat(100);
    let one = |id: &str| [document(id, &text, json!({}))];
    index.put(&of("layer", "", "a"), &one("1"), 400).unwrap();
    index.put(&of("layer", "s", "a"), &one("2"), 400).unwrap();
    assert_eq!(limit(index.put(&of("layer", "t", "a"), &one("3"), 400)), ("index", 400, 501));
    assert_eq!(index.count(&of("layer", "t", "a")).unwrap(), 0, "all or nothing");
    index.put(&of("second", "", "a"), &one("1"), 400).unwrap();
    index.put(&of("layer", "", "a"), &one("1"), 100).unwrap();
    assert_eq!(index.remove(&of("layer", "s", "a"), &["2".to_owned()]).unwrap(), 1);
    index.put(&of("layer", "t", "a"), &one("3"), 400).unwrap();
    index.clear(&of("layer", "", "a")).unwrap();
    index.put(&of("layer", "t", "b"), &one("4"), 400).unwrap();
    assert_eq!(limit(index.put(&of("layer", "t", "b"), &one("5"), 400)), ("index", 400, 501));
}

#[test]
fn a_batch_is_put_wholly_or_not_at_all() {
    let index = Index::memory();
    let batch = [document("a", "word", json!({})), document("b", &"x".repeat(1_000), json!({}))];
    assert_eq!(limit(index.put(&notes(), &batch, 500)).0, "index");
    assert_eq!((index.count(&notes()).unwrap(), found(&index, "word")), (0, vec![]));
}

#[test]
fn documents_and_names_are_bounded() {
    let index = Index::memory();
    let put = |document: Document| limit(index.put(&notes(), &[document], u64::MAX));
    assert_eq!(put(document(&"i".repeat(513), "", json!({}))).0, "index-id-bytes");
    assert_eq!(put(document("a", &"t".repeat((1 << 20) + 1), json!({}))).0, "index-text-bytes");
    assert_eq!(put(document("a", "", json!({ "k": "m".repeat(1 << 16) }))).0, "index-metadata-bytes");
    assert_eq!(limit(index.count(&of("layer", "", &"n".repeat(513)))).0, "index-collection-bytes");
    let nested = index.put(&notes(), &[document("a", "", json!({ "k": { "l": 1 } }))], ROOM).unwrap_err();
    assert_eq!(Error::from(nested).kind, ErrorKind::InvalidInput);
    index.put(&notes(), &[document("a", &"語".repeat(1 << 18), json!({}))], ROOM).unwrap();
    let hits = index.search(&notes(), "語", &Filter::default(), 1, 1_000);
    assert_eq!(limit(hits).0, "payload", "more than can be handed over is not cut short in silence");
}

/// Names that come and go are not kept.
#[test]
fn an_empty_collection_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path().join("index.db")).unwrap();
    for n in 0..100 {
        let place = of("layer", &format!("session {n}"), "notes");
        index.put(&place, &[document("a", "word", json!({}))], ROOM).unwrap();
        index.remove(&place, &["a".to_owned()]).unwrap();
    }
    drop(index);
    let file = rusqlite::Connection::open(folder.path().join("index.db")).unwrap();
    let rows: u32 = file.query_row("SELECT count(*) FROM collection", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

#[test]
fn a_file_lasts_and_is_shared_by_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let first = Index::open(&path).unwrap();
    first.put(&notes(), &[document("a", "kept", json!({ "n": 1 }))], ROOM).unwrap();
    let second = Index::open(&path).unwrap();
    assert_eq!(found(&second, "kept"), ["a"]);
    let both = [&first, &second];
    std::thread::scope(|scope| {
        for (n, index) in both.into_iter().enumerate() {
            scope.spawn(move || {
                for round in 0..20 {
                    let id = format!("{n}-{round}");
                    let _ = index.put(&notes(), &[document(&id, "word", json!({}))], 1_000);
                }
            });
        }
    });
    let bytes = |id: &str, text: &str, metadata: &str| 64 + id.len() + text.len() + metadata.len();
    let hits = first.search(&notes(), "word", &Filter::default(), 100, ROOM).unwrap();
    let held: usize = hits.iter().map(|hit| bytes(&hit.document.id, &hit.document.text, "{}")).sum();
    let all = held + bytes("a", "kept", "{\"n\":1}");
    assert!((900..=1_000).contains(&all), "the quota holds whoever wrote: {all}");
}

#[test]
fn processes_that_begin_at_once_share_a_new_file() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        std::thread::scope(|scope| {
            for n in 0..6 {
                let path = &path;
                scope.spawn(move || {
                    let index = Index::open(path).unwrap();
                    index.put(&notes(), &[document(&n.to_string(), "word", json!({}))], ROOM).unwrap();
                });
            }
        });
        assert_eq!(found(&Index::open(&path).unwrap(), "word").len(), 6);
    }
}

#[cfg(unix)]
#[test]
fn a_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let index = Index::open(&path).unwrap();
    assert!(!path.exists(), "what is not used is not made");
    assert_eq!(index.count(&notes()).unwrap(), 0);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_foreign_damaged_or_newer_file_is_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, sql: &str| {
        let path = folder.path().join(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    };
    let foreign = write("foreign", "CREATE TABLE t (x)");
    let newer =
        write("newer", "CREATE TABLE t (x); PRAGMA application_id = 0x43657049; PRAGMA user_version = 9");
    let garbage = folder.path().join("garbage");
    std::fs::write(&garbage, "no data base at all, but long enough to look like one".repeat(20)).unwrap();
    for (path, is_newer) in [(foreign, false), (newer, true), (garbage, false)] {
        let before = std::fs::read(&path).unwrap();
        match Index::open(&path).unwrap_err() {
            OpenError::Foreign { .. } => assert!(!is_newer),
            OpenError::Newer { found, known, .. } => assert!(is_newer && (found, known) == (9, 1)),
            other => panic!("{other}"),
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
    assert!(matches!(Index::open(folder.path()).unwrap_err(), OpenError::System { .. }));
}

proptest! {
    /// Whatever a query says, it is answered, and a document's own first word finds it.
    #[test]
    fn any_text_is_a_document_and_a_query(text in ".{0,200}", query in any::<String>(), id in ".{0,20}") {
        let index = Index::memory();
        index.put(&notes(), &[document(&id, &text, json!({}))], ROOM).unwrap();
        index.search(&notes(), &query, &Filter::default(), 10, ROOM).unwrap();
        index.search(&notes(), &format!("\"{query}"), &Filter::default(), 10, ROOM).unwrap();
        prop_assert_eq!(index.get(&notes(), &id).unwrap().map(|document| document.text), Some(text));
    }

    /// A word of letters is found wherever it stands.
    #[test]
    fn a_word_is_found(before in "[a-z 語京]{0,30}", word in "[b-y]{2,12}", after in "[ .,!語京]{0,10}") {
        let index = filled(&[("a", &format!("{before} {word} {after}"))]);
        prop_assert_eq!(found(&index, &word), ["a"]);
        prop_assert_eq!(found(&index, &word.to_uppercase()), ["a"]);
    }

    /// Any part of a text without spaces finds it.
    #[test]
    fn a_part_is_found(text in "[一-龥]{1,20}", start in 0_usize..20, length in 1_usize..6) {
        let chars: Vec<char> = text.chars().collect();
        let start = start % chars.len();
        let part: String = chars.iter().skip(start).take(length).collect();
        prop_assert_eq!(found(&filled(&[("a", &text)]), &part), ["a"]);
    }
}
