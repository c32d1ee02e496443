import { lazySlice } from './lazy-slice.ts';

/** The handlers of `platform/translations`. */
export const translationsHandlers = {
  ...lazySlice(
    async () => (await import('../../platform/translations/translations/handlers.ts')).translationHandlers,
    [
      'listTranslations',
      'createTranslation',
      'getTranslation',
      'updateTranslation',
      'deleteTranslation',
      'runTranslation',
    ],
  ),
};
