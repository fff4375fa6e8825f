(use_declaration (visibility_modifier) argument: (_) @source.reexport)
(use_declaration . argument: (_) @source)
(mod_item !body) @source
(extern_crate_declaration name: (identifier) @source)
