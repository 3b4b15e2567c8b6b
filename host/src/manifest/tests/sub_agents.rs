//! Agents that layers may run.

use super::*;

#[test]
fn sub_agents_are_read() {
    let manifest = parse(&format!(
        "{AGENT}max-steps = 9\n{MODELS}[[middleware]]\nname = \"x\"\nsource = \"bundled:y\"\ngrants.agents = [\"finder\"]\n\
         [agents.finder]\nsystem-prompt-file = \"prompt.md\"\nmax-steps = 3\ntools = [\"look\"]\n\
         [[agents.finder.middleware]]\nname = \"z\"\nsource = \"bundled:y\"\ngrants.agents = [\"*\"]\n\
         [agents.bare]\n"
    ))
    .expect("a good manifest");
    let [finder, bare] = manifest.agents.as_slice() else { panic!("two agents") };
    assert_eq!((finder.agent.name.as_str(), finder.agent.model.as_str()), ("finder", "main"));
    assert_eq!((finder.agent.system_prompt.as_str(), finder.agent.max_steps), ("Be kind.", Some(3)));
    assert_eq!((finder.tools.as_slice(), bare.tools.len()), (["look".to_owned()].as_slice(), 0));
    assert_eq!((bare.agent.max_steps, bare.layers.len()), (None, 0));
    let grants: Vec<_> =
        manifest.all_layers().map(|layer| (&*layer.name, layer.grants.agents.join(","))).collect();
    assert_eq!(grants, [("x", "finder".to_owned()), ("z", "*".to_owned())]);
    assert_eq!(manifest.layer_pointer("z").as_deref(), Some("/agents/finder/middleware/0"));
    assert!(manifest.span("/agents/finder/middleware/0/source").is_some());
}

#[test]
fn each_mistake_about_sub_agents_is_shown_at_its_place() {
    insta::assert_snapshot!(errors_with(
        "[[middleware]]\nname = \"x\"\nsource = \"bundled:y\"\ngrants.agents = [\"fnider\", \"nobody\", 7]\n\
         [agents.finder]\nname = \"f\"\nmodel = \"mian\"\ntools = \"look\"\nmax-steps = 0\n\
         [[agents.finder.middleware]]\nname = \"x\"\nsource = \"bundled:y\"\nlimit = 3\n\
         [agents.\"two words\"]\n\
         [agents.lone]\nmiddleware = 3\n"
    ));
}

#[test]
fn without_agents_none_can_be_granted() {
    insta::assert_snapshot!(errors_with(
        "[[middleware]]\nname = \"x\"\nsource = \"bundled:y\"\ngrants.agents = [\"finder\"]\nlimits.agent-runs = -1\n"
    ));
}
