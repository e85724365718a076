/**
 * Arr for tree-sitter.
 *
 * The compiler's own grammar is ../arr.lalrpop. This one accepts a little more, as grammars of editors do: it does not
 * tell sizes from types among the arguments of a named type, and comparisons may chain.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const PREC = {
  open: 0,
  assert: 1,
  or: 2,
  and: 3,
  not: 4,
  comparison: 5,
  sum: 6,
  product: 7,
  contraction: 8,
  negation: 9,
  power: 10,
  postfix: 11,
};

const OPERATORS = [
  ["or", PREC.or],
  ["and", PREC.and],
  ["==", PREC.comparison],
  ["!=", PREC.comparison],
  ["<", PREC.comparison],
  ["<=", PREC.comparison],
  [">", PREC.comparison],
  [">=", PREC.comparison],
  ["+", PREC.sum],
  ["-", PREC.sum],
  ["*", PREC.product],
  ["/", PREC.product],
  ["%", PREC.product],
  ["@", PREC.contraction],
];

const comma = (rule) => optional(comma1(rule));
const comma1 = (rule) => seq(rule, repeat(seq(",", rule)), optional(","));

export default grammar({
  name: "arr",

  word: ($) => $.identifier,

  extras: ($) => [/[\s\uFEFF]/, $.comment, $.doc_comment],

  supertypes: ($) => [$._expression, $._type, $._pattern],

  conflicts: ($) => [[$.named_type, $._size]],

  rules: {
    source_file: ($) => repeat($._item),

    _item: ($) => choice($.definition, $.type_definition, $.import, $.derivative, $.test),

    comment: (_) => token(/--([^|\n][^\n]*)?/),
    doc_comment: (_) => token(/--\|[^\n]*/),

    // Items.

    definition: ($) =>
      seq(
        "def",
        field("name", $.identifier),
        optional(field("type_parameters", $.type_parameters)),
        optional(field("parameters", $.parameters)),
        optional(seq(choice("->", ":"), field("result", $._type))),
        "=",
        field("body", $._expression),
      ),

    type_definition: ($) =>
      seq(
        "type",
        field("name", $.identifier),
        optional(field("type_parameters", $.type_parameters)),
        "=",
        field("body", choice($._type, $.sum_type)),
      ),

    import: ($) =>
      seq("import", field("module", choice($.identifier, $.string)), optional(seq("as", field("alias", $.identifier)))),

    derivative: ($) =>
      seq(
        "derivative",
        field("name", $.identifier),
        field("parameters", $.parameters),
        "=",
        field("body", $._expression),
      ),

    test: ($) =>
      seq(
        "test",
        field("name", $.string),
        optional("gradient"),
        optional(seq("within", field("tolerance", $.number))),
        optional(field("parameters", $.parameters)),
        "=",
        field("body", $._expression),
      ),

    type_parameters: ($) => seq("[", comma1($.type_parameter), "]"),

    type_parameter: ($) => seq(field("name", $.identifier), optional(seq(":", field("bound", $.identifier)))),

    parameters: ($) => seq("(", comma($.parameter), ")"),

    parameter: ($) => seq(field("pattern", $._pattern), optional(seq(":", field("type", $._type)))),

    sum_type: ($) =>
      choice(
        seq("|", $.constructor, repeat(seq("|", $.constructor))),
        seq($.constructor, repeat1(seq("|", $.constructor))),
      ),

    constructor: ($) => seq(field("name", $.identifier), optional(seq("(", comma($._type), ")"))),

    // Types.

    _type: ($) => choice($.named_type, $.array_type, $.tuple_type, $.record_type, $.function_type),

    named_type: ($) => prec.right(seq(field("name", $._name), optional(field("arguments", $.type_arguments)))),

    type_arguments: ($) => seq("[", comma1(choice($._type, $.integer, $.computed_size, $.size_operation)), "]"),

    array_type: ($) => prec(2, seq("[", field("size", $._size), "]", field("element", $._type))),

    // Also the parameters of a function type, and parentheses around one type.
    tuple_type: ($) => seq("(", comma($._type), ")"),

    record_type: ($) => seq("{", comma1($.field_type), "}"),

    field_type: ($) => seq(field("name", $.identifier), ":", field("type", $._type)),

    function_type: ($) => prec.right(1, seq(field("parameters", $._type), "->", field("result", $._type))),

    _size: ($) => choice($._name, $.integer, $.computed_size, $.size_operation, $.parenthesized_size),

    computed_size: (_) => /\?[\p{Alphabetic}_][\p{Alphabetic}\p{N}_']*/,

    parenthesized_size: ($) => seq("(", $._size, ")"),

    size_operation: ($) =>
      choice(
        ...[
          ["+", PREC.sum],
          ["-", PREC.sum],
          ["*", PREC.product],
        ].map(([operator, precedence]) =>
          prec.left(precedence, seq(field("left", $._size), field("operator", operator), field("right", $._size))),
        ),
      ),

    // Patterns.

    _pattern: ($) =>
      choice(
        $.wildcard,
        $.identifier,
        $.qualified_identifier,
        $.constructor_pattern,
        $.tuple_pattern,
        $.record_pattern,
        $.integer_pattern,
        $.boolean,
      ),

    wildcard: (_) => "_",

    constructor_pattern: ($) => seq(field("name", $._name), "(", comma($._pattern), ")"),

    // Also parentheses around one pattern.
    tuple_pattern: ($) => seq("(", comma($._pattern), ")"),

    record_pattern: ($) => seq("{", comma1($.field_pattern), "}"),

    field_pattern: ($) => seq(field("name", $.identifier), optional(seq("=", field("pattern", $._pattern)))),

    integer_pattern: ($) => seq(optional("-"), $.integer),

    // Expressions.

    _expression: ($) =>
      choice(
        $.number,
        $.boolean,
        $.identifier,
        $.operator_function,
        $.parenthesized_expression,
        $.tuple,
        $.array,
        $.record,
        $.record_update,
        $.match,
        $.call,
        $.index,
        $.field_access,
        $.projection,
        $.unary_operation,
        $.binary_operation,
        $.assertion,
        $.update,
        $.let,
        $.if,
        $.for,
        $.loop,
        $.lambda,
      ),

    operator_function: (_) => seq("(", choice(...OPERATORS.map(([operator]) => operator), "**"), ")"),

    parenthesized_expression: ($) => seq("(", $._expression, ")"),

    tuple: ($) =>
      seq(
        "(",
        optional(seq($._expression, ",", optional(seq($._expression, repeat(seq(",", $._expression)), optional(","))))),
        ")",
      ),

    array: ($) => seq("[", comma($._expression), "]"),

    record: ($) => seq("{", comma1($.field), "}"),

    record_update: ($) => seq("{", field("record", $._expression), "with", comma1($.field), "}"),

    field: ($) => seq(field("name", $.identifier), optional(seq("=", field("value", $._expression)))),

    match: ($) => seq("match", field("value", $._expression), "{", comma($.arm), "}"),

    arm: ($) => seq(field("pattern", $._pattern), "=>", field("value", $._expression)),

    call: ($) => prec(PREC.postfix, seq(field("function", $._expression), field("arguments", $.arguments))),

    // A text is the label of a trace.
    arguments: ($) => seq("(", comma(choice($._expression, $.string)), ")"),

    index: ($) => prec(PREC.postfix, seq(field("array", $._expression), field("subscripts", $.subscripts))),

    subscripts: ($) => seq("[", comma1(choice($._expression, $.slice)), "]"),

    slice: ($) =>
      seq(
        optional(field("low", $._expression)),
        ":",
        optional(field("high", $._expression)),
        optional(seq(":", optional(field("step", $._expression)))),
      ),

    field_access: ($) => prec(PREC.postfix, seq(field("value", $._expression), ".", field("name", $.identifier))),

    // After a point only digits are read, so `t.0.1` is two projections.
    projection: ($) => prec(PREC.postfix, seq(field("value", $._expression), ".", field("place", $.integer))),

    unary_operation: ($) =>
      choice(
        prec(PREC.negation, seq(field("operator", "-"), field("operand", $._expression))),
        prec(PREC.not, seq(field("operator", "not"), field("operand", $._expression))),
      ),

    binary_operation: ($) =>
      choice(
        ...OPERATORS.map(([operator, precedence]) =>
          prec.left(
            precedence,
            seq(field("left", $._expression), field("operator", operator), field("right", $._expression)),
          ),
        ),
        prec.right(
          PREC.power,
          seq(field("left", $._expression), field("operator", "**"), field("right", $._expression)),
        ),
      ),

    assertion: ($) => prec.left(PREC.assert, seq(field("value", $._expression), ":>", field("type", $._type))),

    update: ($) =>
      prec.left(
        PREC.assert,
        seq(
          field("array", $._expression),
          "with",
          field("subscripts", $.subscripts),
          "=",
          field("value", $._expression),
        ),
      ),

    let: ($) => prec.right(PREC.open, seq(repeat1($.binding), "in", field("body", $._expression))),

    binding: ($) =>
      seq(
        "let",
        field("pattern", $._pattern),
        optional(seq(":", field("type", $._type))),
        "=",
        field("value", $._expression),
      ),

    if: ($) =>
      prec.right(
        PREC.open,
        seq(
          "if",
          field("condition", $._expression),
          "then",
          field("then", $._expression),
          "else",
          field("else", $._expression),
        ),
      ),

    for: ($) => prec.right(PREC.open, seq("for", comma1($.generator), "=>", field("body", $._expression))),

    generator: ($) =>
      choice(field("index", $.identifier), $._range, seq(field("pattern", $._pattern), "in", field("values", $._expression))),

    _range: ($) => seq(field("index", $.identifier), "<", field("extent", $._expression)),

    loop: ($) =>
      prec.right(
        PREC.open,
        seq(
          "loop",
          field("state", $._pattern),
          optional(seq(":", field("type", $._type))),
          "=",
          field("start", $._expression),
          choice(
            seq("for", $._range),
            seq("for", field("pattern", $._pattern), "in", field("values", $._expression)),
            seq("while", field("condition", $._expression)),
          ),
          "do",
          field("body", $._expression),
        ),
      ),

    lambda: ($) =>
      prec.right(
        PREC.open,
        seq(
          "\\",
          choice(
            field("parameters", $.parameters),
            seq(
              field("parameter", choice($.wildcard, $.identifier, $.record_pattern)),
              optional(seq(":", field("type", $._type))),
            ),
          ),
          "=>",
          field("body", $._expression),
        ),
      ),

    // Small parts.

    _name: ($) => choice($.identifier, $.qualified_identifier),

    qualified_identifier: ($) => prec(PREC.postfix, seq(field("module", $.identifier), ".", field("name", $.identifier))),

    identifier: (_) => /[\p{Alphabetic}_][\p{Alphabetic}\p{N}_']*/,

    boolean: (_) => choice("true", "false"),

    number: (_) =>
      token(
        choice(
          /[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9][0-9_]*)?(i32|i64|u32|f32|f64)?/,
          /(0x[0-9A-Fa-f_]+|0b[01_]+|0o[0-7_]+)(i32|i64|u32)?/,
        ),
      ),

    integer: (_) => token(/[0-9]+/),

    string: (_) => token(/"[^"\r\n]*"/),
  },
});
