interface Named {
  readonly name: { readonly value: string };
}

interface NodeWithMembers {
  readonly fields?: readonly (Named & NodeWithMembers)[] | undefined;
  readonly interfaces?: readonly Named[] | undefined;
  readonly types?: readonly Named[] | undefined;
  readonly arguments?: readonly Named[] | undefined;
}

/**
 * The SDL of a type or a field without the members that are hidden, for whoever reads directives there or prints it.
 *
 * @param isKept - of a type its fields, interfaces and members; of a field its arguments
 * @param isArgumentKept - of a type the arguments of its fields
 */
export function pruned<Node extends object>(
  node: Node | null | undefined,
  isKept: (name: string) => boolean,
  isArgumentKept: (field: string, name: string) => boolean = () => true,
): Node | undefined {
  if (!node) return undefined;
  const { fields, interfaces, types, arguments: args }: NodeWithMembers = node;
  const kept = <Member extends Named>(members: readonly Member[]): readonly Member[] =>
    members.filter(({ name }) => isKept(name.value));
  const field = (member: Named & NodeWithMembers): Named | undefined =>
    pruned(member, (name) => isArgumentKept(member.name.value, name));
  return {
    ...node,
    ...(fields && { fields: kept(fields).map(field) }),
    ...(interfaces && { interfaces: kept(interfaces) }),
    ...(types && { types: kept(types) }),
    ...(args && { arguments: kept(args) }),
  };
}
