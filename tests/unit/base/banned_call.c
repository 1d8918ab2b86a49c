/* Does not compile, on purpose: see the test lint.banned. */
void call_banned(char *to, const char *from);

void call_banned(char *to, const char *from)
{
    strcpy(to, from);
}
