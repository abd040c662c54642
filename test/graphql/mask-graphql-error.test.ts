import { maskGraphQLError } from 'doorward/graphql';
import { GraphQLError, type GraphQLFormattedError, graphql } from 'graphql';
import { describe, expect, test } from 'vitest';
import { build } from './support.ts';

const SECRET = 'db pass=hunter2 at /srv/x';

async function masked(
  resolve: () => unknown,
  source = '{ a }',
  type = 'String',
): Promise<{ errors: GraphQLFormattedError[]; told: unknown[] }> {
  const told: unknown[] = [];
  const schema = build(`type Query { a(x: Int!): ${type} }`.replace(source.includes('(') ? '' : '(x: Int!)', ''), {
    Query: { a: resolve },
  });
  const { errors = [] } = await graphql({ schema, source });
  return {
    errors: errors.map((error) => maskGraphQLError(error, { onInternal: (error) => told.push(error) }).toJSON()),
    told,
  };
}

describe('an error on its way to a client', () => {
  test.each<[string, () => unknown]>([
    [
      'throws an error',
      () => {
        throw new Error(SECRET);
      },
    ],
    [
      'throws null',
      () => {
        throw null;
      },
    ],
    [
      'throws a string',
      () => {
        throw SECRET;
      },
    ],
    ['rejects with a string', () => Promise.reject(SECRET)],
    ['answers with an error', () => new Error(SECRET)],
    [
      'throws a GraphQLError without a code',
      () => {
        throw new GraphQLError(SECRET);
      },
    ],
    [
      'throws one with a code of its own',
      () => {
        throw new GraphQLError(SECRET, { extensions: { code: 'ECONNREFUSED' } });
      },
    ],
    [
      'throws one with an inherited code',
      () => {
        throw new GraphQLError(SECRET, { extensions: Object.create({ code: 'FORBIDDEN' }) });
      },
    ],
    [
      'throws one that claims to be internal',
      () => {
        throw new GraphQLError(SECRET, { extensions: { code: 'INTERNAL_SERVER_ERROR', stacktrace: [SECRET] } });
      },
    ],
  ])('GQL-09 says nothing of what a resolver that %s gave away', async (_, resolve) => {
    const { errors, told } = await masked(resolve);
    expect(errors).toEqual([
      {
        message: 'Internal server error',
        locations: [{ line: 1, column: 3 }],
        path: ['a'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
    expect(told).toHaveLength(1);
  });

  test('GQL-09 says nothing of a value that does not fit its type', async () => {
    const { errors } = await masked(() => SECRET, '{ a }', 'Int');
    expect(JSON.stringify(errors)).not.toContain('hunter2');
  });

  test('hands the host the error that was thrown', async () => {
    const thrown = new Error(SECRET);
    const { told } = await masked(() => Promise.reject(thrown));
    expect(told).toEqual([thrown]);
    expect(told[0]).toBe(thrown);
  });

  test.each(['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND'])(
    'passes with the code %s',
    async (code) => {
      const { errors, told } = await masked(() => {
        throw new GraphQLError('for you', { extensions: { code } });
      });
      expect(errors).toMatchObject([{ message: 'for you', extensions: { code } }]);
      expect(told).toEqual([]);
    },
  );

  test.each([
    ['of syntax', '{ a', /Syntax Error/],
    ['of validation', '{ nope }', /Cannot query field/],
    ['of a variable', 'query($x: Int!) { a(x: $x) }', /Variable "\$x"/],
  ])('passes when it is %s', async (_, source, message) => {
    const { errors, told } = await masked(() => 'a', source);
    expect(errors[0]?.message).toMatch(message);
    expect(told).toEqual([]);
  });

  test('passes when it is of an argument, though found while executing', async () => {
    const { execute, parse } = await import('graphql');
    const schema = build('type Query { a(x: Int!): String }');
    const document = parse('query($x: Int = 1) { a(x: $x) }');
    const { errors = [] } = await execute({ schema, document, variableValues: { x: null } });
    expect(maskGraphQLError(errors[0]).message).toMatch(/^Argument .*x/);
  });

  test('GQL-09 that is no GraphQL error at all is masked', () => {
    expect(maskGraphQLError(new Error(SECRET)).toJSON()).toEqual({
      message: 'Internal server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    });
  });
});

describe('an error that wraps another without pointing into the document', () => {
  test('is masked, as hosts wrap a failing stream', () => {
    const wrapped = new GraphQLError('db password=hunter2', { originalError: new Error('db password=hunter2') });
    expect(maskGraphQLError(wrapped)).toMatchObject({
      message: 'Internal server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    });
  });
});
