; Later patterns win over earlier ones where a node has both.

(identifier) @variable
((identifier) @constructor
  (#match? @constructor "^[A-Z]"))

; Literals
(number) @number
(integer) @number
(boolean) @boolean
(string) @string
(comment) @comment
(doc_comment) @comment.documentation

; Items
(definition name: (identifier) @constant)
(definition name: (identifier) @function parameters: (parameters))
(derivative name: (identifier) @function)
(type_definition name: (identifier) @type)
(type_parameter name: (identifier) @type.parameter)
(type_parameter bound: (identifier) @type.builtin)
(constructor name: (identifier) @constructor)
(import module: (identifier) @module)
(import alias: (identifier) @module)
(test name: (string) @string.special)

; Types
(named_type name: (identifier) @type)
(named_type name: (qualified_identifier name: (identifier) @type))
((named_type name: (identifier) @type.builtin)
  (#match? @type.builtin "^(bool|i32|i64|u32|f32|f64)$"))
(array_type size: (identifier) @variable.parameter)
(size_operation (identifier) @variable.parameter)
(computed_size) @variable.parameter
(field_type name: (identifier) @property)
(qualified_identifier module: (identifier) @module)

; Patterns
(parameter pattern: (identifier) @variable.parameter)
(constructor_pattern name: (identifier) @constructor)
(constructor_pattern name: (qualified_identifier name: (identifier) @constructor))
(field_pattern name: (identifier) @property)
(wildcard) @variable.builtin

; Expressions
(call function: (identifier) @function.call)
(field_access name: (identifier) @property)
(call function: (field_access name: (identifier) @function.call))
((call function: (identifier) @constructor)
  (#match? @constructor "^[A-Z]"))
((call function: (field_access name: (identifier) @constructor))
  (#match? @constructor "^[A-Z]"))
(field name: (identifier) @property)
(projection place: (integer) @property)
(generator index: (identifier) @variable.parameter)
((call function: (identifier) @function.builtin)
  (#match? @function.builtin "^(grad|value_and_grad|vjp|jvp|jacfwd|jacrev|hessian|linearize|stop_gradient|checkpoint|trace|trace_grad)$"))

; Words and signs
[
  "def"
  "type"
  "derivative"
  "test"
  "gradient"
  "within"
  "let"
  "in"
  "with"
  "match"
] @keyword

[ "import" "as" ] @keyword.import
[ "if" "then" "else" ] @keyword.conditional
[ "for" "loop" "while" "do" ] @keyword.repeat
[ "and" "or" "not" ] @keyword.operator

[
  "=" "->" "=>" ":>" "|" "\\"
  "+" "-" "*" "/" "%" "**" "@"
  "==" "!=" "<" "<=" ">" ">="
] @operator

[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
[ "," "." ":" ] @punctuation.delimiter
