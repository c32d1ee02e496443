import type { components } from '../../../../../generated/schema.d.ts';

type Schemas = components['schemas'];
type Plan = Schemas['SiteType'];
type FeatureId = Schemas['SiteFeatureId'];

/** Price tier of each plan. A plan has the features of its tier and of all lower ones. */
const TIERS: Readonly<Record<Plan, number>> = {
  basic: 0,
  'legacy-basic': 0,
  sponsored: 1,
  premium: 2,
  'legacy-premium': 2,
  ultimate: 3,
};

/** The lowest-priced plan of each feature. Features that the service provides on every plan have `basic`. */
const PLANS: Readonly<Record<FeatureId, Plan>> = {
  'sites-adaptive-content': 'basic',
  'sites-advanced-customization': 'basic',
  'sites-advanced-insights': 'ultimate',
  'sites-ads': 'sponsored',
  'sites-ai-search': 'ultimate',
  'sites-ai-assistant': 'ultimate',
  'sites-api-playground': 'premium',
  'sites-basic-customization': 'basic',
  'sites-custom-domain': 'basic',
  'sites-custom-fonts': 'premium',
  'sites-custom-subdirectory': 'basic',
  'sites-full-text-search': 'basic',
  'sites-multivariant-site': 'basic',
  'sites-no-custom-domain': 'basic',
  'sites-page-feedback': 'premium',
  'sites-page-traffic-insights': 'premium',
  'sites-pdf-export': 'basic',
  'sites-preview-deployments': 'premium',
  'sites-public-visibility': 'basic',
  'sites-redirects': 'basic',
  'sites-search-insights': 'premium',
  'sites-sections': 'basic',
  'sites-seo': 'basic',
  'sites-share-links': 'basic',
  'sites-unlisted-visibility': 'basic',
  'sites-user-contribution': 'ultimate',
  'sites-visitor-authentication': 'basic',
  'sites-visitors': 'ultimate',
};

/** Parts of the customization that features enable. */
const CUSTOMIZATIONS: Readonly<Partial<Record<FeatureId, Schemas['SiteFeatureCustomization'][]>>> = {
  'sites-basic-customization': ['header-logo', 'theme-preset'],
  'sites-advanced-customization': [
    'custom-icons',
    'footer-logo',
    'footer-links',
    'footer-copyright',
    'semantic-colors',
  ],
  'sites-custom-fonts': ['premium-fonts'],
};

/** Returns whether a plan includes a feature. */
export const hasFeature = (type: Plan, feature: FeatureId): boolean => TIERS[type] >= TIERS[PLANS[feature]];

/** Returns all features, and whether a plan includes them. */
export function featuresOf(type: Plan): Schemas['SiteFeature'][] {
  // The keys of the table are those of its type.
  const ids = Object.keys(PLANS) as FeatureId[];
  return ids.map((id) => {
    const customizations = CUSTOMIZATIONS[id];
    return {
      id,
      plan: PLANS[id],
      frozen: !hasFeature(type, id),
      ...(customizations && { customizations }),
    };
  });
}
