/** What every contestant asks of each object. */
export const isOwner = ({ id }, { ownerId }) => id === ownerId;
