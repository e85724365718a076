-- Texts as bags of words: the mean of the vectors of a text's words, and a softmax over classes. Joulin et al., Bag of tricks for
-- efficient text classification (2017). Single precision.

import nn

--| `table` has a row for each word; `texts[i]` are the numbers of the words of text `i`, and `ys[i]` is its class.
def value(
  table: [v][d]f32,
  weight: [c][d]f32,
  bias: [c]f32,
  texts: [b][words]i64,
  ys: [b]i64
) -> f32 =
  let scores = for text in texts => nn.dense(weight, bias, mean(nn.embedding(table, text)))
  in nn.cross_entropy(scores, ys)

def gradient(
  table: [v][d]f32,
  weight: [c][d]f32,
  bias: [c]f32,
  texts: [b][words]i64,
  ys: [b]i64
) -> ([v][d]f32, [c][d]f32, [c]f32) =
  grad(\((table, weight, bias)) => value(table, weight, bias, texts, ys))((table, weight, bias))
