//! Prompts: where they come from, and which can't be used.

use crate::rig::{Done, Place, run_in};

fn with_input(place: &Place, input: &[u8]) -> Done {
    run_in(place.path(), &["run", ".", "-", "--session", "s"], input)
}

#[test]
fn prompts_come_from_the_arguments_or_the_input() {
    let place = Place::new("");
    assert_eq!(place.cepa("run . one").ends_with(0).out, "got one\n");
    assert_eq!(with_input(&place, b"two\n").ends_with(0).out, "got two\n");
    assert_eq!(Place::new("[run]\nprompt = \"three\"\n").cepa("run .").ends_with(0).out, "got three\n");
}

#[test]
fn a_prompt_that_can_not_be_used_is_one_error_and_the_next_run_works() {
    let place = Place::new("");
    let empty = run_in(place.path(), &["run", ".", " \n"], b"");
    let cases = [
        place.cepa("run ."),
        empty,
        with_input(&place, b""),
        with_input(&place, b" \n"),
        with_input(&place, b"caf\xe9"),
        with_input(&place, &vec![b'a'; 10 << 20]),
        place.cepa("run . --chat"),
    ];
    let errors: Vec<String> = cases.into_iter().map(|done| done.fails_with(2).err).collect();
    insta::assert_snapshot!(errors.concat());
    assert!(!place.has(".cepa"), "nothing was begun");
    assert_eq!(with_input(&place, b"hello").ends_with(0).out, "got hello\n");
}

#[test]
fn a_prompt_of_4_mib_is_taken() {
    let place = Place::new("").script("[[turn]]\ntext = \"I read it\"\nrepeat = true\n");
    assert_eq!(with_input(&place, &vec![b'a'; 4 << 20]).ends_with(0).out, "I read it\n");
    assert_eq!(with_input(&place, b"and now?").ends_with(0).out, "I read it\n");
}
