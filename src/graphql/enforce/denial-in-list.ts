import { type GraphQLResolveInfo, isListType, isNonNullType, versionInfo } from 'graphql';

type Place = Pick<GraphQLResolveInfo, 'path' | 'returnType'>;

/** graphql 17 keeps listening, but not while it waits for the next item of an asynchronous list, which 16 has not. */
const givesUpLists: boolean = versionInfo.major < 17;

/**
 * Whether an error that is known at once must be answered as a promise. In a list of items that may not be null,
 * graphql 16 gives up at an error that is thrown and listens no more to the promises of the items before it, of
 * which one that rejects would be an unhandled rejection, which ends the process. A promise among promises is
 * waited for like the others.
 */
export function endsList({ path, returnType }: Place): boolean {
  return givesUpLists && isNonNullType(returnType) && isInItem(path);
}

/** The same for an item of what a field returns, or for all of it, where that is no list. */
export function itemEndsList({ path, returnType }: Place): boolean {
  let type = returnType;
  let isItem = isInItem(path);
  let isNonNull = false;
  while (isNonNullType(type) || isListType(type)) {
    isNonNull = isNonNullType(type);
    isItem ||= !isNonNull;
    type = type.ofType;
  }
  return givesUpLists && isNonNull && isItem;
}

function isInItem(path: GraphQLResolveInfo['path']): boolean {
  let place: typeof path | undefined = path;
  while (place !== undefined && typeof place.key !== 'number') place = place.prev;
  return place !== undefined;
}
