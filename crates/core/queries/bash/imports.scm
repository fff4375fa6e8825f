(command
  name: (command_name) @_source
  . argument: (_) @source
  (#any-of? @_source "source" "."))
