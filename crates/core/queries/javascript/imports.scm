(import_statement source: (string) @source)
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported)))
  source: (string) @source)
(import_statement (import_clause (identifier) @imported) source: (string) @source)
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @source.call)
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @source.call))

(export_statement source: (string) @source.reexport)
(export_statement "*" @export.all source: (string) .)
(export_statement (namespace_export (_) @export))
(export_statement "default" @export.default)
(export_statement
  (export_clause (export_specifier name: (_) @export !alias))
  source: (string))
(export_statement (export_clause (export_specifier alias: (_) @export)))
(export_statement
  (export_clause (export_specifier name: (_) @export @export.local !alias))
  !source)
(export_statement
  (export_clause (export_specifier name: (_) @export.local alias: (_)))
  !source)
(export_statement value: (identifier) @export.local)

; Modules of Node before the standard had any.
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @export)
  (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @export)
  (#eq? @_module "module")
  (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (identifier) @export @export.local
    (object (shorthand_property_identifier) @export @export.local)
    (object (pair key: (property_identifier) @export))
  ]
  (#eq? @_module "module")
  (#eq? @_exports "exports"))
