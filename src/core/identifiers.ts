/** Databases refuse NUL and lone surrogates with an error; no account has such an id. */
export function isAccountId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= 256 && !/[\0\p{Surrogate}]/u.test(id);
}

/** 1 to 64 characters, none of them a control character, a line end or half of a surrogate pair. */
export function isDisplayName(name: unknown): name is string {
  return typeof name === 'string' && /^[^\p{Cc}\p{Surrogate}\p{Zl}\p{Zp}]{1,64}$/u.test(name);
}
