(import_declaration [(scoped_identifier) (identifier)] @source)
