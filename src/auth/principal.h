/* Who asks: see ARCHITECTURE.md. */
#ifndef ROWHOUSE_AUTH_PRINCIPAL_H
#define ROWHOUSE_AUTH_PRINCIPAL_H

#include "base/slice.h"

enum principal_kind {
    PRINCIPAL_TENANT,      /* confined to one tenant */
    PRINCIPAL_APPLICATION, /* the SaaS's own back end */
    PRINCIPAL_OPERATOR,    /* runs the server */
};

struct principal {
    enum principal_kind kind;
    /* The tenant; of the application and the operator, the reserved tenant that is their own
     * slice. */
    struct slice tenant_id;
};

#define PRINCIPAL_APPLICATION_TENANT SLICE_LIT("application")
#define PRINCIPAL_OPERATOR_TENANT SLICE_LIT("operator")

#endif
