package wire

// Configure puts the layer's configuration into the middleware; nil for one that takes none.
var Configure func() error
