// Generated from spec/main.tsp by `npm run generate`. Do not edit: change the contract and run the command.

export interface paths {
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description Answers the organizations that the caller is a member of.
         */
        get: operations["listOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @description Answers one organization.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Why a request was not served. Every failure has this body. */
        Error: {
            /** @description The failure. */
            error: components["schemas"]["ErrorInfo"];
        };
        /** @description One field at fault. */
        ErrorDetail: {
            /**
             * @description The part of the request that holds the field.
             * @enum {string}
             */
            in: "path" | "query" | "header" | "body";
            /** @description Where the field stands in its part: a name, or names and indexes joined by dots. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
        /** @description What happened, and what the caller can do about it. */
        ErrorInfo: {
            /**
             * Format: int32
             * @description The HTTP status of the response, again.
             */
            code: number;
            /** @description What happened, why, and how to mend it. */
            message: string;
            /** @description Names the request in the server's log. */
            requestId: string;
            /** @description The fields at fault, all of them at once. */
            details?: components["schemas"]["ErrorDetail"][];
        };
        /** @description An opaque identifier. It never has meaning beyond equality. */
        Identifier: string;
        /** @description One line of text that nothing else bounds: at most 2,048 characters. */
        Line: string;
        /** @description Where a list goes on. */
        NextPage: {
            /** @description The cursor to send as `page`. */
            page: string;
        };
        /** @description An organization: the tenant that owns members, content and sites. */
        Organization: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "organization";
            /** @description The id of the organization. */
            id: string;
            /** @description Its title. */
            title: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Mail domains whose users may join by themselves. */
            emailDomains: string[];
            /** @description The default host name of its public content. */
            hostname?: string;
            /** @description What the organization is. */
            type: components["schemas"]["OrganizationType"];
        };
        /** @description One page of a list. */
        OrganizationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Organization"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /**
         * @description What an organization is.
         * @enum {string}
         */
        OrganizationType: "business" | "community";
    };
    responses: never;
    parameters: {
        /** @description The most items to answer; 0 answers the count alone. */
        "ListQuery.limit": number;
        /** @description Continues a list: `next.page` of the answer before. */
        "ListQuery.page": components["schemas"]["Line"];
        /** @description The id of the organization. */
        OrganizationPath: components["schemas"]["Identifier"];
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationList"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
