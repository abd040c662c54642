/**
 * Contestants are compared only when they do the same work. One that cannot answer a question leaves it out.
 * @param {ReadonlyArray<{ contestant: string, answers: Record<string, unknown> }>} reports
 */
export function assertSameAnswers(reports) {
  const first = new Map();
  for (const { contestant, answers } of reports) {
    for (const [question, answer] of Object.entries(answers)) {
      const known = first.get(question) ?? { contestant, answer };
      first.set(question, known);
      if (known.answer !== answer) {
        throw new Error(
          `answers differ on "${question}": ${known.contestant} says ${known.answer}, ${contestant} says ${answer}`,
        );
      }
    }
  }
}
