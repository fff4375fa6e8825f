(function_call
  name: (identifier) @_require
  arguments: (arguments . (string) @source)
  (#any-of? @_require "require" "dofile"))
