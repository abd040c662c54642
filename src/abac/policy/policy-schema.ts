import { MAX_LENGTH } from './json.ts';

/** A JSON Schema, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The names that a schema lets policies use; without them any that are well-formed. */
export interface SchemaNames {
  readonly paths: readonly string[];
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly predicates: readonly string[];
}

const NAME = '(?!(?:__proto__|constructor|prototype)$)[A-Za-z_][A-Za-z0-9_]{0,63}';
const LISTS = ['subject.roles'];
const NEVER_LISTS = [
  'action',
  'subject.id',
  'resource.id',
  'resource.type',
  'environment.time',
  'environment.hour',
  'environment.ip',
  'environment.userAgent',
];
const NUMBERS = ['environment.time', 'environment.hour'];

const text = { type: 'string', minLength: 1 };
const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
const object = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: unknown): JsonSchema => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems: MAX_LENGTH,
});
const names = (known: readonly string[] | undefined): JsonSchema => ({
  ...list(known === undefined ? text : { enum: known }),
  uniqueItems: true,
});
/** Two operands, one of which at least is an attribute. */
const pair = (left: unknown, right: unknown): JsonSchema => ({
  type: 'array',
  prefixItems: [left, right],
  minItems: 2,
  maxItems: 2,
  contains: { type: 'object' },
});
const operator = (name: string, operands: unknown): JsonSchema => object({ [name]: operands }, [name]);

/** The schema of policy files: everything that can be said of them without knowing the operands' types. */
export function schemaOfPolicies(known?: SchemaNames): JsonSchema {
  const path =
    known === undefined
      ? { pattern: `^(?:action|(?:subject|resource|environment)\\.${NAME})$` }
      : { enum: known.paths };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Doorward policy',
    ...object(
      { name: text, combining: { enum: ['first-match', 'any-allow', 'deny-overrides'] }, rules: ref('rules') },
      ['name', 'combining', 'rules'],
    ),
    if: { properties: { combining: { const: 'any-allow' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { rules: { items: { properties: { effect: { const: 'allow' } } } } } },
    $defs: {
      rules: { type: 'array', items: ref('rule'), maxItems: MAX_LENGTH },
      rule: object(
        {
          id: text,
          effect: { enum: ['allow', 'deny'] },
          description: text,
          resources: names(known?.resources),
          actions: names(known?.actions),
          when: { anyOf: [{ const: 'always' }, ref('condition')] },
        },
        ['id', 'effect', 'when'],
      ),
      condition: { anyOf: conditions(known) },
      conditions: list(ref('condition')),
      attribute: {
        ...object({ attr: { type: 'string', ...path }, timeZone: { type: 'string', pattern: '^[A-Z]' } }, ['attr']),
        dependentSchemas: { timeZone: { properties: { attr: { const: 'environment.hour' } } } },
      },
      ...operands(),
    },
  };
}

function conditions(known: SchemaNames | undefined): readonly JsonSchema[] {
  const predicate = known === undefined ? { type: 'string', pattern: `^${NAME}$` } : { enum: known.predicates };
  return [
    ...['eq', 'ne'].map((name) => operator(name, pair(ref('scalar'), ref('scalar')))),
    ...['lt', 'lte', 'gt', 'gte'].map((name) => operator(name, pair(ref('ordered'), ref('ordered')))),
    ...['startsWith', 'endsWith'].map((name) => operator(name, pair(ref('text'), ref('text')))),
    operator('in', pair(ref('scalar'), ref('list'))),
    operator('contains', pair(ref('list'), ref('scalar'))),
    operator('present', ref('attribute')),
    operator('predicate', predicate),
    operator('and', ref('conditions')),
    operator('or', ref('conditions')),
    operator('not', ref('condition')),
  ];
}

function operands(): JsonSchema {
  const attributeBut = (refused: readonly string[]): JsonSchema => ({
    ...ref('attribute'),
    not: { properties: { attr: { enum: refused } }, required: ['attr'] },
  });
  const constants = (type: string): JsonSchema => ({ ...list({ type }), uniqueItems: true });
  return {
    scalar: { anyOf: [{ type: ['string', 'number', 'boolean'] }, attributeBut(LISTS)] },
    ordered: { anyOf: [{ type: ['string', 'number'] }, attributeBut(LISTS)] },
    text: { anyOf: [text, attributeBut([...LISTS, ...NUMBERS])] },
    list: { anyOf: [...['string', 'number', 'boolean'].map(constants), attributeBut(NEVER_LISTS)] },
  };
}
