export const DEMO_PASSWORD = 'correct horse battery staple';
