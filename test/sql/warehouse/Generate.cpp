// SPDX-License-Identifier: Apache-2.0
/// Writes the tables of two benchmarks of data warehouses as CSV files with
/// metadata: our own numbers, with the sizes, domains and relations that the Star
/// Schema Benchmark and TPC-H describe. Dates are integers (yyyymmdd) in the
/// former, ISO strings in the latter.
///
///     generate (ssb|tpch) scale directory
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Text = std::string;

struct Random {
    uint64_t state;
    explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull + 1) {}
    uint64_t next() {
        uint64_t z = (state += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    int64_t in(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
    }
    const Text &of(const std::vector<Text> &words) { return words[next() % words.size()]; }
    Text word(int length) {
        Text w;
        for (int i = 0; i < length; ++i)
            w += static_cast<char>('a' + next() % 26);
        return w;
    }
};

/// A CSV file and, when it is complete, its metadata.
class Table {
  public:
    Table(const Text &directory, const Text &name, const std::vector<std::pair<Text, Text>> &columns)
        : path(directory + "/" + name + ".csv"), file(std::fopen(path.c_str(), "wb")), columns(columns) {
        if (!file) {
            std::perror(path.c_str());
            std::exit(1);
        }
    }
    ~Table() {
        std::fwrite(line.data(), 1, line.size(), file);
        std::fclose(file);
        std::ofstream meta(path + ".meta");
        meta << "{\"numRows\":" << rows << ",\"numCols\":" << columns.size() << ",\"schema\":[";
        for (size_t c = 0; c < columns.size(); ++c)
            meta << (c ? "," : "") << "{\"label\":\"" << columns[c].first << "\",\"valueType\":\"" << columns[c].second
                 << "\"}";
        meta << "]}\n";
    }
    template <class... Cells> void add(const Cells &...cells) {
        size_t position = 0;
        ((line += position++ ? "," : "", append(cells)), ...);
        line += '\n';
        ++rows;
        if (line.size() > (1 << 20)) {
            std::fwrite(line.data(), 1, line.size(), file);
            line.clear();
        }
    }

  private:
    void append(const Text &t) { line += t; }
    void append(int64_t x) { line += std::to_string(x); }
    void append(double x) {
        char buffer[40];
        line.append(buffer, static_cast<size_t>(std::snprintf(buffer, sizeof buffer, "%.2f", x)));
    }
    Text path, line;
    std::FILE *file;
    std::vector<std::pair<Text, Text>> columns;
    size_t rows = 0;
};

const std::vector<Text> kRegions = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
struct Nation {
    Text name;
    int region;
};
const std::vector<Nation> kNations = {
    {"ALGERIA", 0},      {"ARGENTINA", 1},  {"BRAZIL", 1},  {"CANADA", 1},         {"EGYPT", 4},
    {"ETHIOPIA", 0},     {"FRANCE", 3},     {"GERMANY", 3}, {"INDIA", 2},          {"INDONESIA", 2},
    {"IRAN", 4},         {"IRAQ", 4},       {"JAPAN", 2},   {"JORDAN", 4},         {"KENYA", 0},
    {"MOROCCO", 0},      {"MOZAMBIQUE", 0}, {"PERU", 1},    {"CHINA", 2},          {"ROMANIA", 3},
    {"SAUDI ARABIA", 4}, {"VIETNAM", 2},    {"RUSSIA", 3},  {"UNITED KINGDOM", 3}, {"UNITED STATES", 1}};
const std::vector<Text> kSegments = {"AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"};
const std::vector<Text> kPriorities = {"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"};
const std::vector<Text> kModes = {"AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"};
const std::vector<Text> kInstructions = {"COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN"};
const std::vector<Text> kTypes1 = {"ECONOMY", "LARGE", "MEDIUM", "PROMO", "SMALL", "STANDARD"};
const std::vector<Text> kTypes2 = {"ANODIZED", "BRUSHED", "BURNISHED", "PLATED", "POLISHED"};
const std::vector<Text> kTypes3 = {"BRASS", "COPPER", "NICKEL", "STEEL", "TIN"};
const std::vector<Text> kColors = {"almond", "azure", "beige", "blue", "coral",
                                   "cyan",   "green", "ivory", "navy", "red"};
const std::vector<Text> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Days since 1992-01-01 as calendar dates.
struct Date {
    int year, month, day, dayOfYear;
};
std::vector<Date> calendar(int lastYear) {
    constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    std::vector<Date> dates;
    for (int year = 1992; year <= lastYear; ++year) {
        int dayOfYear = 0;
        for (int month = 1; month <= 12; ++month)
            for (int day = 1; day <= kDays[month - 1] + (month == 2 && year % 4 == 0); ++day)
                dates.push_back({year, month, day, ++dayOfYear});
    }
    return dates;
}
int64_t keyOf(const Date &d) { return d.year * 10000 + d.month * 100 + d.day; }
Text isoOf(const Date &d) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%04d-%02d-%02d", d.year, d.month, d.day);
    return buffer;
}
Text numbered(const char *prefix, int64_t n) {
    char buffer[60];
    std::snprintf(buffer, sizeof buffer, "%s#%09lld", prefix, static_cast<long long>(n));
    return buffer;
}
Text phoneOf(Random &r, int64_t nation) {
    return std::to_string(10 + nation) + "-" + std::to_string(r.in(100, 999)) + "-" + std::to_string(r.in(100, 999)) +
           "-" + std::to_string(r.in(1000, 9999));
}
/// Nine letters of the nation and a digit.
Text cityOf(const Nation &n, int64_t digit) {
    Text city = n.name.substr(0, 9);
    city.resize(9, ' ');
    return city + std::to_string(digit);
}

int64_t scaled(double scale, int64_t n) { return std::max<int64_t>(1, std::llround(scale * static_cast<double>(n))); }

// ------------------------------------------------------- Star Schema Benchmark

void writeStar(double scale, const Text &directory) {
    auto dates = calendar(1998);
    int64_t numCustomers = scaled(scale, 30000), numSuppliers = scaled(scale, 2000);
    int64_t numParts =
        scale < 1 ? scaled(scale, 200000) : static_cast<int64_t>(200000 * (1 + std::floor(std::log2(scale))));
    {
        Table t(directory, "date",
                {{"d_datekey", "si64"},
                 {"d_dayofyear", "si64"},
                 {"d_month", "str"},
                 {"d_year", "si64"},
                 {"d_yearmonthnum", "si64"},
                 {"d_yearmonth", "str"},
                 {"d_weeknuminyear", "si64"}});
        for (const Date &d : dates)
            t.add(keyOf(d), int64_t(d.dayOfYear), kMonths[d.month - 1], int64_t(d.year),
                  int64_t(d.year * 100 + d.month), kMonths[d.month - 1] + std::to_string(d.year),
                  int64_t((d.dayOfYear - 1) / 7 + 1));
    }
    {
        Random r(1);
        Table t(directory, "customer",
                {{"c_custkey", "si64"},
                 {"c_name", "str"},
                 {"c_address", "str"},
                 {"c_city", "str"},
                 {"c_nation", "str"},
                 {"c_region", "str"},
                 {"c_phone", "str"},
                 {"c_mktsegment", "str"}});
        for (int64_t k = 1; k <= numCustomers; ++k) {
            int64_t n = r.in(0, 24);
            t.add(k, numbered("Customer", k), r.word(12), cityOf(kNations[n], r.in(0, 9)), kNations[n].name,
                  kRegions[kNations[n].region], phoneOf(r, n), r.of(kSegments));
        }
    }
    {
        Random r(2);
        Table t(directory, "supplier",
                {{"s_suppkey", "si64"},
                 {"s_name", "str"},
                 {"s_address", "str"},
                 {"s_city", "str"},
                 {"s_nation", "str"},
                 {"s_region", "str"},
                 {"s_phone", "str"}});
        for (int64_t k = 1; k <= numSuppliers; ++k) {
            int64_t n = r.in(0, 24);
            t.add(k, numbered("Supplier", k), r.word(12), cityOf(kNations[n], r.in(0, 9)), kNations[n].name,
                  kRegions[kNations[n].region], phoneOf(r, n));
        }
    }
    {
        Random r(3);
        Table t(directory, "part",
                {{"p_partkey", "si64"},
                 {"p_name", "str"},
                 {"p_mfgr", "str"},
                 {"p_category", "str"},
                 {"p_brand1", "str"},
                 {"p_color", "str"},
                 {"p_type", "str"},
                 {"p_size", "si64"}});
        for (int64_t k = 1; k <= numParts; ++k) {
            Text mfgr = "MFGR#" + std::to_string(r.in(1, 5)), category = mfgr + std::to_string(r.in(1, 5));
            t.add(k, r.of(kColors) + " " + r.of(kColors), mfgr, category, category + std::to_string(r.in(1, 40)),
                  r.of(kColors), r.of(kTypes1) + " " + r.of(kTypes2) + " " + r.of(kTypes3), r.in(1, 50));
        }
    }
    Random r(4);
    Table t(directory, "lineorder",
            {{"lo_orderkey", "si64"},
             {"lo_linenumber", "si64"},
             {"lo_custkey", "si64"},
             {"lo_partkey", "si64"},
             {"lo_suppkey", "si64"},
             {"lo_orderdate", "si64"},
             {"lo_orderpriority", "str"},
             {"lo_quantity", "si64"},
             {"lo_extendedprice", "si64"},
             {"lo_discount", "si64"},
             {"lo_revenue", "si64"},
             {"lo_supplycost", "si64"},
             {"lo_tax", "si64"},
             {"lo_commitdate", "si64"},
             {"lo_shipmode", "str"}});
    int64_t numOrders = scaled(scale, 1500000);
    for (int64_t o = 1; o <= numOrders; ++o) {
        int64_t customer = r.in(1, numCustomers), lines = r.in(1, 7),
                day = r.in(0, static_cast<int64_t>(dates.size()) - 100);
        const Text &priority = r.of(kPriorities);
        for (int64_t l = 1; l <= lines; ++l) {
            int64_t part = r.in(1, numParts), quantity = r.in(1, 50), discount = r.in(0, 10);
            int64_t price = quantity * (90000 + part / 10 % 20001 + 100 * (part % 1000));
            t.add(o, l, customer, part, r.in(1, numSuppliers), keyOf(dates[day]), priority, quantity, price, discount,
                  price * (100 - discount) / 100, 6 * (price / quantity) / 10, r.in(0, 8),
                  keyOf(dates[day + r.in(30, 90)]), r.of(kModes));
        }
    }
}

// ---------------------------------------------------------------------- TPC-H

void writeOrders(double scale, const Text &directory, int64_t numCustomers, int64_t numParts, int64_t numSuppliers) {
    auto dates = calendar(1998);
    std::vector<Text> iso;
    for (const Date &d : dates)
        iso.push_back(isoOf(d));
    int64_t lastOrder = static_cast<int64_t>(dates.size()) - 152;
    Random r(14);
    Table orders(directory, "orders",
                 {{"o_orderkey", "si64"},
                  {"o_custkey", "si64"},
                  {"o_orderstatus", "str"},
                  {"o_totalprice", "f64"},
                  {"o_orderdate", "str"},
                  {"o_orderpriority", "str"},
                  {"o_shippriority", "si64"}});
    Table items(directory, "lineitem",
                {{"l_orderkey", "si64"},
                 {"l_partkey", "si64"},
                 {"l_suppkey", "si64"},
                 {"l_linenumber", "si64"},
                 {"l_quantity", "f64"},
                 {"l_extendedprice", "f64"},
                 {"l_discount", "f64"},
                 {"l_tax", "f64"},
                 {"l_returnflag", "str"},
                 {"l_linestatus", "str"},
                 {"l_shipdate", "str"},
                 {"l_commitdate", "str"},
                 {"l_receiptdate", "str"},
                 {"l_shipinstruct", "str"},
                 {"l_shipmode", "str"}});
    const Text today = "1995-06-17";
    int64_t numOrders = scaled(scale, 1500000);
    for (int64_t k = 1; k <= numOrders; ++k) {
        int64_t key = (k - 1) / 8 * 32 + (k - 1) % 8 + 1; // a quarter of all keys, as described
        int64_t day = r.in(0, lastOrder - 1), lines = r.in(1, 7);
        double total = 0;
        int open = 0;
        for (int64_t l = 1; l <= lines; ++l) {
            int64_t part = r.in(1, numParts), quantity = r.in(1, 50);
            double price = static_cast<double>(quantity * (90000 + part / 10 % 20001 + 100 * (part % 1000))) / 100;
            double discount = static_cast<double>(r.in(0, 10)) / 100, tax = static_cast<double>(r.in(0, 8)) / 100;
            int64_t shipped = day + r.in(1, 121), received = shipped + r.in(1, 30);
            bool isOpen = iso[shipped] > today;
            open += isOpen;
            Text flag = iso[received] > today ? "N" : r.in(0, 1) ? "R" : "A";
            total += price * (1 + tax) * (1 - discount);
            items.add(key, part, r.in(1, numSuppliers), l, static_cast<double>(quantity), price, discount, tax, flag,
                      Text(isOpen ? "O" : "F"), iso[shipped], iso[day + r.in(30, 90)], iso[received],
                      r.of(kInstructions), r.of(kModes));
        }
        int64_t customer = r.in(1, std::max<int64_t>(1, numCustomers / 3)) * 3 - r.in(1, 2); // a third orders nothing
        orders.add(key, std::max<int64_t>(1, customer),
                   Text(open == 0       ? "F"
                        : open == lines ? "O"
                                        : "P"),
                   total, iso[day], r.of(kPriorities), int64_t(0));
    }
}

void writeTpch(double scale, const Text &directory) {
    int64_t numCustomers = scaled(scale, 150000), numParts = scaled(scale, 200000), numSuppliers = scaled(scale, 10000);
    {
        Table t(directory, "region", {{"r_regionkey", "si64"}, {"r_name", "str"}});
        for (size_t k = 0; k < kRegions.size(); ++k)
            t.add(static_cast<int64_t>(k), kRegions[k]);
    }
    {
        Table t(directory, "nation", {{"n_nationkey", "si64"}, {"n_name", "str"}, {"n_regionkey", "si64"}});
        for (size_t k = 0; k < kNations.size(); ++k)
            t.add(static_cast<int64_t>(k), kNations[k].name, static_cast<int64_t>(kNations[k].region));
    }
    {
        Random r(11);
        Table t(directory, "supplier",
                {{"s_suppkey", "si64"},
                 {"s_name", "str"},
                 {"s_address", "str"},
                 {"s_nationkey", "si64"},
                 {"s_phone", "str"},
                 {"s_acctbal", "f64"}});
        for (int64_t k = 1; k <= numSuppliers; ++k) {
            int64_t n = r.in(0, 24);
            t.add(k, numbered("Supplier", k), r.word(15), n, phoneOf(r, n),
                  static_cast<double>(r.in(-99999, 999999)) / 100);
        }
    }
    {
        Random r(12);
        Table t(directory, "customer",
                {{"c_custkey", "si64"},
                 {"c_name", "str"},
                 {"c_address", "str"},
                 {"c_nationkey", "si64"},
                 {"c_phone", "str"},
                 {"c_acctbal", "f64"},
                 {"c_mktsegment", "str"},
                 {"c_comment", "str"}});
        for (int64_t k = 1; k <= numCustomers; ++k) {
            int64_t n = r.in(0, 24);
            t.add(k, numbered("Customer", k), r.word(15), n, phoneOf(r, n),
                  static_cast<double>(r.in(-99999, 999999)) / 100, r.of(kSegments), r.word(6) + " " + r.word(20));
        }
    }
    {
        Random r(13);
        Table t(directory, "part",
                {{"p_partkey", "si64"},
                 {"p_name", "str"},
                 {"p_mfgr", "str"},
                 {"p_brand", "str"},
                 {"p_type", "str"},
                 {"p_size", "si64"},
                 {"p_retailprice", "f64"}});
        for (int64_t k = 1; k <= numParts; ++k) {
            int64_t mfgr = r.in(1, 5);
            t.add(k, r.of(kColors) + " " + r.of(kColors), "Manufacturer#" + std::to_string(mfgr),
                  "Brand#" + std::to_string(mfgr) + std::to_string(r.in(1, 5)),
                  r.of(kTypes1) + " " + r.of(kTypes2) + " " + r.of(kTypes3), r.in(1, 50),
                  static_cast<double>(90000 + k / 10 % 20001 + 100 * (k % 1000)) / 100);
        }
    }
    writeOrders(scale, directory, numCustomers, numParts, numSuppliers);
}

} // namespace

int main(int argc, char **argv) {
    Text what = argc == 4 ? argv[1] : "";
    double scale = argc == 4 ? std::atof(argv[2]) : 0;
    if ((what != "ssb" && what != "tpch") || scale <= 0) {
        std::fprintf(stderr, "usage: generate (ssb|tpch) scale directory\n");
        return 1;
    }
    what == "ssb" ? writeStar(scale, argv[3]) : writeTpch(scale, argv[3]);
}
