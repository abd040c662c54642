import { configInvalid, isPlainObject, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { ownProperty } from '../../core/own-property.ts';
import { includedRoles } from '../../core/role-hierarchy.ts';
import { isAttributePath, kindOf } from '../condition/attribute.ts';
import { namesAt, textAt } from '../policy/json.ts';
import { isName } from '../policy/name.ts';
import type { AttributeType, ModelDefinition } from './definition.ts';

/** What is known of the values at a path. */
export interface ValueType {
  readonly kind: 'string' | 'number' | 'boolean';
  readonly isList: boolean;
  /** The only values there are. */
  readonly allowed?: readonly string[];
}

/** One type of resource, with the paths `resource.…` that it has. */
export interface ResourceVocabulary {
  readonly actions: readonly string[];
  readonly paths: ReadonlyMap<string, ValueType>;
}

/** A model, checked, in the form that policies are checked with. */
export interface ModelVocabulary {
  /** Each role with itself and the roles that inherit it. */
  readonly holders: ReadonlyMap<string, readonly string[]>;
  /** The paths that do not depend on the type of the resource. */
  readonly paths: ReadonlyMap<string, ValueType>;
  readonly resources: ReadonlyMap<string, ResourceVocabulary>;
  readonly predicates: ReadonlySet<string>;
}

const TYPES: ReadonlyMap<unknown, ValueType> = new Map<AttributeType, ValueType>([
  ['string', { kind: 'string', isList: false }],
  ['number', { kind: 'number', isList: false }],
  ['boolean', { kind: 'boolean', isList: false }],
  ['string[]', { kind: 'string', isList: true }],
  ['number[]', { kind: 'number', isList: true }],
]);
const TEXT: ValueType = { kind: 'string', isList: false };
const NUMBER: ValueType = { kind: 'number', isList: false };

/** @throws `CONFIG_INVALID` */
export function vocabularyOf(model: ModelDefinition): ModelVocabulary {
  refuseUnknownOptions(model, ['roles', 'subject', 'resources', 'environment', 'predicates']);
  const holders = holdersOf(ownProperty(model, 'roles'));
  const predicates = ownProperty(model, 'predicates');
  return {
    holders,
    paths: new Map([
      ['subject.id', TEXT],
      ['subject.roles', { kind: 'string', isList: true, allowed: [...holders.keys()] }],
      ['environment.time', NUMBER],
      ['environment.hour', NUMBER],
      ['environment.ip', TEXT],
      ['environment.userAgent', TEXT],
      ...attributesAt('subject', ownProperty(model, 'subject'), 'subject'),
      ...attributesAt('environment', ownProperty(model, 'environment') ?? {}, 'environment'),
    ]),
    resources: resourcesOf(ownProperty(model, 'resources')),
    predicates: new Set(listOfNames('predicates', predicates ?? [])),
  };
}

function holdersOf(json: unknown): ReadonlyMap<string, readonly string[]> {
  const entries = Array.isArray(json)
    ? listOf('roles', json).map((role): [string, readonly string[]] => [role, []])
    : recordOf('roles', json).map(([role, parents]): [string, readonly string[]] => [
        textAt('roles', role),
        listOf(`roles.${role}`, parents),
      ]);
  const included = includedRoles(new Map(entries), 'roles');
  const roles = entries.map(([role]) => role);
  return new Map(
    roles.map((role) => [role, [role, ...roles.filter((heir) => heir !== role && included.get(heir)?.has(role))]]),
  );
}

function resourcesOf(json: unknown): ReadonlyMap<string, ResourceVocabulary> {
  const resources = recordOf('resources', json);
  if (resources.length === 0) throw configInvalid('resources', 'must not be empty');
  const types = resources.map(([type]) => textAt('resources', type));
  const typeOf: ValueType = { kind: 'string', isList: false, allowed: types };
  return new Map(
    resources.map(([type, definition]) => {
      const at = `resources.${type}`;
      const unknown = recordOf(at, definition).find(([key]) => key !== 'actions' && key !== 'attributes');
      if (unknown !== undefined) throw configInvalid(`${at}.${unknown[0]}`, 'is not a known option');
      return [
        type,
        {
          actions: namesAt(`${at}.actions`, ownProperty(definition, 'actions')),
          paths: new Map([
            ['resource.type', typeOf],
            ['resource.id', TEXT],
            ...attributesAt(`${at}.attributes`, ownProperty(definition, 'attributes'), 'resource'),
          ]),
        },
      ];
    }),
  );
}

function attributesAt(at: string, json: unknown, holder: string): readonly [string, ValueType][] {
  return recordOf(at, json).map(([name, type]) => {
    const path = `${holder}.${name}`;
    if (!isAttributePath(path)) throw configInvalid(`${at}.${name}`, 'cannot be the name of an attribute');
    if (kindOf(path) !== undefined) throw configInvalid(`${at}.${name}`, 'is a field of every request');
    return [path, typeAt(`${at}.${name}`, type)];
  });
}

function typeAt(at: string, type: unknown): ValueType {
  if (Array.isArray(type)) return { kind: 'string', isList: false, allowed: namesAt(at, type) };
  const known = TYPES.get(type);
  if (known === undefined) throw configInvalid(at, `must be ${[...TYPES.keys()].join(', ')} or a list of texts`);
  return known;
}

function listOfNames(at: string, json: unknown): readonly string[] {
  const names = listOf(at, json);
  const wrong = names.findIndex((name) => !isName(name));
  if (wrong !== -1) throw configInvalid(`${at}[${wrong}]`, 'must be a name such as "isOnCall"');
  return names;
}

/** Names, none twice; there may be none at all. */
function listOf(at: string, json: unknown): readonly string[] {
  return Array.isArray(json) && json.length === 0 ? [] : namesAt(at, json);
}

function recordOf(at: string, json: unknown): readonly [string, unknown][] {
  if (!isPlainObject(json)) throw configInvalid(at, 'must be a plain object');
  return Object.entries(json);
}
