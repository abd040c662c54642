export { byName } from './by-name.ts';
export { bySubject, type SubjectEntry } from './by-subject.ts';
export {
  type CertificateAuthenticatorOptions,
  createCertificateAuthenticator,
  type PrincipalOf,
} from './certificate-authenticator.ts';
