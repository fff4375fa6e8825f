(import_spec path: (_) @source)
