(using_directive [(identifier) (qualified_name)] @source .)
