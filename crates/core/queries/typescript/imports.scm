(import_require_clause source: (string) @source)
(export_statement "=" (identifier) @export.local @export.default)
