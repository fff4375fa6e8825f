(preproc_include path: (_) @source)
