/* The configuration: defaults, keys, files with access keys, and what is refused in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "server/config.h"

/* What config_read and config_check print. */
static char printed[1024];

static FILE *open_printed(void)
{
    FILE *errors = fmemopen(printed, sizeof(printed), "w");

    CHECK(errors != NULL);
    return errors;
}

static enum status read_file(struct config *config, const char *text)
{
    char path[] = "/tmp/rowhouse-config-XXXXXX";
    int file = mkstemp(path);
    FILE *errors = open_printed();
    enum status status;

    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(close(file) == 0);
    status = config_read(config, path, errors);
    CHECK(fclose(errors) == 0 && unlink(path) == 0);
    return status;
}

static enum status check(const struct config *config)
{
    FILE *errors = open_printed();
    enum status status = config_check(config, errors);

    CHECK(fclose(errors) == 0);
    return status;
}

static void assert_refused(const char *key, const char *value, const char *expected)
{
    struct config config;
    const char *reason = "";

    config_init(&config);
    assert_int_equal(config_set(&config, key, value, &reason), ST_INVALID);
    assert_string_equal(reason, expected);
    config_deinit(&config);
}

static void without_a_file_it_is_a_development_server(void **state)
{
    struct config config;

    (void)state;
    config_init(&config);
    assert_string_equal(config.listen_host, "127.0.0.1");
    assert_int_equal(config.listen_port, 8000);
    assert_string_equal(config.data, "rowhouse-data");
    assert_string_equal(config.region, "us-east-1");
    assert_int_equal(config.reader_count, 2);
    assert_int_equal(config.cache_size_bytes, 128 * 1024 * 1024);
    assert_int_equal(config.wording, WORDING_2026_10);
    assert_true(config.development);
    assert_int_equal(check(&config), ST_OK);
    config_deinit(&config);
}

static void addresses_have_a_port_and_maybe_brackets(void **state)
{
    struct config config;
    const char *reason = "";

    (void)state;
    config_init(&config);
    assert_int_equal(config_set(&config, "listen", "[::1]:9000", &reason), ST_OK);
    assert_string_equal(config.listen_host, "::1");
    assert_int_equal(config.listen_port, 9000);
    assert_int_equal(check(&config), ST_OK);
    config_deinit(&config);
    assert_refused("listen", "127.0.0.1",
                   "expected ADDRESS:PORT, such as 127.0.0.1:8000 or [::1]:8000");
    assert_refused("listen", "127.0.0.1:65536",
                   "expected ADDRESS:PORT, such as 127.0.0.1:8000 or [::1]:8000");
}

static void values_are_checked(void **state)
{
    (void)state;
    assert_refused("threads", "0", "expected a whole number in range");
    assert_refused("readers", "65", "expected a whole number in range");
    assert_refused("in-memory", "maybe", "expected yes or no");
    assert_refused("region", "eu_west_1",
                   "expected small letters, digits and hyphens, such as eu-west-1");
    assert_refused("messages", "2025-01", "expected 2026-10 or 2026-05");
    assert_refused("treads", "1", "unknown key");
}

static void a_file_gives_keys_to_principals(void **state)
{
    struct config config;

    (void)state;
    config_init(&config);
    assert_int_equal(read_file(&config, "listen = 0.0.0.0:80\n"
                                        "[access-key \"AKIA1\"]\nsecret = s1\ntenant = acme\n"
                                        "[access-key \"AKIA2\"]\nsecret = s2\noperator = yes\n"),
                     ST_OK);
    assert_false(config.development);
    assert_int_equal(config.access_key_count, 2);
    assert_string_equal(config.access_keys[0].id, "AKIA1");
    assert_string_equal(config.access_keys[0].secret, "s1");
    assert_string_equal(config.access_keys[0].tenant, "acme");
    assert_int_equal(config.access_keys[0].principal, PRINCIPAL_TENANT);
    assert_int_equal(config.access_keys[1].principal, PRINCIPAL_OPERATOR);
    assert_int_equal(check(&config), ST_OK);
    config_deinit(&config);
}

static void refusals_name_the_place(void **state)
{
    struct config config;

    (void)state;
    config_init(&config);
    assert_int_equal(read_file(&config, "[access-key \"AKIA1\"]\ntenant = operator\n"), ST_INVALID);
    assert_non_null(strstr(printed, "[access-key \"AKIA1\"] tenant = ...: expected a tenant id"));
    config_deinit(&config);
    config_init(&config);
    assert_int_equal(read_file(&config, "[other]\nx = y\n"), ST_INVALID);
    assert_non_null(strstr(printed, "unknown section"));
    config_deinit(&config);
}

static void what_nobody_could_use_is_refused(void **state)
{
    struct config config;

    (void)state;
    config_init(&config);
    assert_int_equal(read_file(&config, "region = eu-west-1\n"), ST_OK);
    assert_int_equal(check(&config), ST_INVALID);
    assert_non_null(strstr(printed, "nobody could use the server"));
    assert_int_equal(read_file(&config, "[access-key \"AKIA1\"]\ntenant = acme\n"), ST_OK);
    assert_int_equal(check(&config), ST_INVALID);
    assert_non_null(strstr(printed, "[access-key \"AKIA1\"] has no secret"));
    config_deinit(&config);
}

static void development_mode_stays_on_loopback(void **state)
{
    struct config config;
    const char *reason = "";

    (void)state;
    config_init(&config);
    assert_int_equal(config_set(&config, "listen", "0.0.0.0:8000", &reason), ST_OK);
    assert_int_equal(check(&config), ST_INVALID);
    assert_int_equal(config_set(&config, "insecure-any-address", "yes", &reason), ST_OK);
    assert_int_equal(check(&config), ST_OK);
    config_deinit(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_it_is_a_development_server),
        cmocka_unit_test(addresses_have_a_port_and_maybe_brackets),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(a_file_gives_keys_to_principals),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(what_nobody_could_use_is_refused),
        cmocka_unit_test(development_mode_stays_on_loopback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
