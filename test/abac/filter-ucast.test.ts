import { CompoundCondition, type Condition, FieldCondition } from '@ucast/core';
import { allInterpreters, createJsInterpreter } from '@ucast/js';
import { createPolicyEngine, toUcast, type UcastCondition } from 'doorward/abac';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decidingRule } from './support/reference.ts';
import { askers, columns, portablePolicies, type Row, resourceOf, rowPolicies, rows } from './support/rows.ts';

const field = (condition: FieldCondition, row: Row) => row[condition.field as keyof Row];
const interpret = createJsInterpreter({
  ...allInterpreters,
  startswith: (condition: FieldCondition<string>, row: Row) =>
    String(field(condition, row)).startsWith(condition.value),
  endswith: (condition: FieldCondition<string>, row: Row) => String(field(condition, row)).endsWith(condition.value),
} as never);

/** The condition as UCAST has it in memory; the value of another field is put in its place. */
function parsed(condition: UcastCondition, row: Row): Condition {
  if (condition.type === 'compound')
    return new CompoundCondition(
      condition.operator,
      condition.value.map((part) => parsed(part, row)),
    );
  const { operator, field: name, value } = condition;
  const other = typeof value === 'object' && value !== null && 'field' in value;
  return new FieldCondition(operator, name, other ? row[value.field as keyof Row] : value);
}

test('UCAST, read by its own interpreter, gives the rows that are allowed one by one: random policies', () => {
  let [said, allowed] = [0, 0];
  fc.assert(
    fc.property(
      fc.oneof(portablePolicies, rowPolicies),
      askers,
      fc.array(rows, { minLength: 1, maxLength: 12 }),
      (policy, asker, all) => {
        const filter = createPolicyEngine(policy).filter({ ...asker, resource: { type: 'document' } });
        let condition: UcastCondition;
        try {
          condition = JSON.parse(JSON.stringify(toUcast(filter, { fields: columns })));
        } catch (error) {
          expect(error).toMatchObject({ code: 'AUTHZ_FILTER_INEXACT' });
          return;
        }
        const expected = all.map(
          (row) => decidingRule(policy, { ...asker, resource: resourceOf(row) })?.effect === 'allow',
        );
        expect(all.map((row) => interpret(parsed(condition, row), row))).toEqual(expected);
        said += Number(filter.kind === 'some');
        allowed += expected.filter(Boolean).length;
      },
    ),
    { numRuns: 1_500 },
  );
  expect(said).toBeGreaterThan(300);
  expect(allowed).toBeGreaterThan(500);
});
