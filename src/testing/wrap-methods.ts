/** Calls the method that was asked for, or does something else first, instead or afterwards. */
export type Around = (call: () => Promise<unknown>, method: string) => Promise<unknown>;

/** The same object with every method run through `around`; it works for plain objects and for instances of classes. */
export function wrapMethods<T extends object>(target: T, around: Around): T {
  return new Proxy(target, {
    get(_, name) {
      // Read from and run on the target itself: private members of a class know no proxy.
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => around(async () => Reflect.apply(member, target, args), String(name));
    },
  });
}
