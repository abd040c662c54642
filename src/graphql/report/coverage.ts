import { type GraphQLSchema, isObjectType } from 'graphql';
import type { FieldPlan, InputRules } from '../compile/plan.ts';
import { resourceOf } from '../compile/reaching.ts';
import { type RuleSource, type RuleVia, ruleSource } from '../compile/rule-source.ts';
import type { Application } from '../rules/rule-arguments.ts';
import { type CheckedProtection, checkedProtection } from './checked-protection.ts';
import { markdownTable } from './markdown.ts';

/**
 * What stands before a place: rules; nothing, because it is `@public`; nothing, because nobody wrote a rule; or
 * everything, because nobody wrote a rule where unprotected fields are denied.
 */
export type CoverageStatus = 'guarded' | 'public' | 'unprotected' | 'closed';

export interface CoverageEntry {
  /** A field of an object type; also the arguments, input types and input fields that have rules. */
  readonly coordinate: string;
  readonly status: CoverageStatus;
  /** Every rule that holds there. They are all ANDed. */
  readonly rules: readonly RuleSource[];
}

/**
 * Lists every field of a protected schema with the rules that hold there and where each was written. Plain data in
 * a stable order, to be kept as a snapshot: a rule that gets lost, or a field that never had one, shows in review.
 *
 * @throws `CONFIG_INVALID` for a schema that is not protected, or lost a guard.
 * @example
 * const open = coverage(schema).filter(({ status }) => status === 'unprotected');
 */
export function coverage(schema: GraphQLSchema): readonly CoverageEntry[] {
  const checked = checkedProtection(schema);
  const { inputTypes, fields } = checked.plan;
  const entries = [...fieldsOf(checked)];
  for (const { input } of fields.values()) entries.push(...input.flatMap(inputEntry));
  for (const [coordinate, type] of inputTypes) {
    entries.push(...inputEntry({ coordinate, ...type }), ...type.fields.flatMap(inputEntry));
  }
  return entries.sort(byCoordinate);
}

/**
 * Writes {@link coverage} as a Markdown table, for people.
 *
 * @example
 * const table = coverageAsMarkdown(coverage(schema));
 */
export function coverageAsMarkdown(entries: readonly CoverageEntry[]): string {
  const rows = entries.map(({ coordinate, status, rules }) => [coordinate, status, rules.map(inWords).join('; ')]);
  return markdownTable(['coordinate', 'status', 'rules'], rows);
}

function fieldsOf({ schema, plan, options }: CheckedProtection): readonly CoverageEntry[] {
  const unprotected = new Set(plan.unprotected);
  const without = options.unprotected === 'deny' ? 'closed' : 'unprotected';
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types
    .filter(({ name }) => plan.objects.has(name))
    .flatMap((type) =>
      Object.keys(type.getFields()).map((name): CoverageEntry => {
        const coordinate = `${type.name}.${name}`;
        if (unprotected.has(coordinate)) return { coordinate, status: without, rules: [] };
        const field = plan.fields.get(coordinate);
        if (field?.gate === undefined) return { coordinate, status: 'public', rules: [] };
        return { coordinate, status: 'guarded', rules: sourcesOf(field) };
      }),
    );
}

/** The rules of a field with the places where they were written, those of its arguments not among them. */
function sourcesOf({ coordinate, reaching }: FieldPlan): readonly RuleSource[] {
  if (reaching === undefined) return [];
  const { ofOwner, ofFields, ofReturned, root } = reaching;
  const [typeName] = coordinate.split('.');
  const source = (application: Application, via: RuleVia): RuleSource =>
    ruleSource(application, via, resourceOf(application, root));
  return [
    ...ofOwner.map((each) => source(each, each.coordinate === typeName ? 'TYPE' : 'INTERFACE')),
    ...ofFields.map((each) => source(each, each.coordinate === coordinate ? 'FIELD' : 'INTERFACE_FIELD')),
    ...ofReturned.map((each) => source(each, 'RETURN_TYPE')),
  ];
}

function inputEntry({ coordinate, sources }: Pick<InputRules, 'coordinate' | 'sources'>): readonly CoverageEntry[] {
  return sources.length === 0 ? [] : [{ coordinate, status: 'guarded', rules: sources }];
}

/** Not in the order of a language, which differs from machine to machine. */
function byCoordinate(a: CoverageEntry, b: CoverageEntry): number {
  return a.coordinate < b.coordinate ? -1 : 1;
}

function inWords({ rule, coordinate, via, line, from, onDeny }: RuleSource): string {
  const how = [from && `from ${from}`, onDeny === 'ERROR' ? undefined : `or ${onDeny}`].filter(Boolean);
  const where = `${via} ${coordinate}${line === undefined ? '' : `, line ${line}`}`;
  return [rule, ...how, `(${where})`].join(' ');
}
