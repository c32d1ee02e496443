import type { Flag, JsonText } from '../../json.ts';
import type { Role } from './roles.ts';

type StoredOrganizationType = 'business' | 'community';

type StoredUseCase =
  | 'internalDocs'
  | 'docsSite'
  | 'audienceControlledSite'
  | 'productDocs'
  | 'teamKnowledgeBase'
  | 'designSystem'
  | 'openSourceDocs'
  | 'notes'
  | 'other';

type StoredCommunityType = 'nonProfit' | 'openSource' | 'education';

type StoredPlan =
  | 'free_2024'
  | 'plus_2024'
  | 'pro_2024'
  | 'enterprise_2024'
  | 'community_2024'
  | 'free'
  | 'plus'
  | 'pro'
  | 'internal';

export interface OrganizationsTable {
  id: string;
  title: string;
  emailDomains: JsonText<string[]>;
  hostname: string | null;
  type: StoredOrganizationType;
  useCase: StoredUseCase | null;
  communityType: StoredCommunityType | null;
  /** Role of new members. If `hasDefaultRole` is 1, null means guest; if 0, it was never set. */
  defaultRole: Role | null;
  hasDefaultRole: Flag;
  defaultContent: JsonText<{ type: 'site'; site: string }> | null;
  sso: Flag;
  ai: Flag;
  inviteLinks: Flag;
  plan: StoredPlan;
  logo: string | null;
  createdAt: string;
}
