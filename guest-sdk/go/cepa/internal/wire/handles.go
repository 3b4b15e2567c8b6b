package wire

type droppable interface{ Drop() }

// The handles that came up in the hook that runs.
//
// While they are here the garbage collector leaves them alone. It must: its cleanups call the host, which is forbidden
// while the host itself allocates in the guest, and that is a moment at which a collection may begin.
var kept []droppable

// Keep has a handle dropped behind the hook, unless it is given away by then.
func Keep[H droppable](handle H) H {
	kept = append(kept, handle)
	return handle
}

// Release drops what is kept, what was taken last first; all but the one that the hook answers with.
func Release(answer any) {
	for at := len(kept) - 1; at >= 0; at-- {
		if kept[at] != answer {
			kept[at].Drop()
		}
	}
	kept = nil
}
