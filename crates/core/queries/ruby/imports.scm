(call
  method: (identifier) @_require
  arguments: (argument_list . (string))
  (#any-of? @_require "require" "require_relative" "load")) @source
